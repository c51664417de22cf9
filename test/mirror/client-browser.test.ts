import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { describeClient } from './client-conformance.ts';
import { filesIn, logOf, perfectFiles, scrape, startSite } from './scrape-setup.ts';

await chromiumOrSkip();

describeClient('browser');

const scratch = scratchDirectory();

it('goes on with another Chromium when the one it has dies', async () => {
  const site = await startSite({ cases: 40 });
  let kills = 0;
  const onProgress = ({ downloaded }: { downloaded: number }) => {
    if (downloaded !== 5 && downloaded !== 15) return;
    for (const pid of ownChromiums()) process.kill(pid, 'SIGKILL');
    kills++;
  };
  const summary = await scrape(site, scratch('data'), {}, { client: 'browser', onProgress });
  expect([kills, summary.errorCounts]).toEqual([2, {}]);
  expect(filesIn(scratch('data'))).toEqual(perfectFiles(site));
  expect(logOf(scratch('data')).match(/phase=client .*restart=\d/g)).toHaveLength(2);
});

/** Those that this process started. */
function ownChromiums(): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return [...children.matchAll(/^\s*(\d+) .*chrom.*--headless/gm)].map(([, pid]) => Number(pid));
}
