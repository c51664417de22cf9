// Loaded into a process before anything else: interrupts it, as Ctrl-C would, where a walk becomes a run.

import { once } from 'node:events';
import { SiteManager } from '../../src/sites/site-manager.ts';

if (process.env.INTERRUPTED === 'in the commit') {
  const { commitPartialRun } = SiteManager.prototype;
  SiteManager.prototype.commitPartialRun = async function (domain) {
    const run = await commitPartialRun.call(this, domain);
    // A process does not live on for a signal alone.
    const life = setInterval(() => {}, 1_000);
    const heard = once(process, 'SIGINT').finally(() => clearInterval(life));
    process.kill(process.pid, 'SIGINT');
    await heard;
    return run;
  };
}

if (process.env.INTERRUPTED === 'after the commit') {
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text: string | Uint8Array) => {
    if (String(text).includes('committed')) process.kill(process.pid, 'SIGINT');
    return write(text);
  };
}
