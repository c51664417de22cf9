// A process that runs into its own limit of open files: that is no outage of any host. The limit is a real one, of the shell.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const scratch = scratchDirectory();
const run = promisify(execFile);

it('no host is down because we have no file descriptor left', async () => {
  const court = closing(await startCourt({ highest: 200 }));
  // Nothing is answered, so that every connection stays open.
  const hold = court.faults.set({ kind: 'hold', path: '/case/' });
  const urls = Array.from({ length: 200 }, (_, id) => `${court.url}/case/${id + 1}`);
  const args = ['--concurrency', '200', '--rate', 'off', '--allow-host', '127.0.0.1', '--data', scratch('data')];
  const limited = ['-c', 'ulimit -n 100 && exec "$0" "$@"', process.execPath, BIN, 'fetch', ...urls, ...args];
  const ended = await run('sh', limited).catch((error: { code: number; stderr: string }) => error);
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toMatch(/No connection can be opened here \(EMFILE\)/);
  expect(ended.stderr).toContain('ulimit -n');

  const [host] = (await curlew(['hosts', '--json', '--data', scratch('data')])).stdout.split('\n');
  expect(JSON.parse(host ?? '')).toMatchObject({ state: 'closed', failures: 0 });
  await court.faults.clear(hold);
  const resumed = await curlew(['resume', 'latest', '--json', '--data', scratch('data')]);
  expect(summaryIn(resumed)).toMatchObject({ status: 'completed', requests: { done: 200, unknown: 0 } });
});
