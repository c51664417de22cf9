// The whole court, cold: 4,300 cases, four files at once.

import { expect, it } from 'vitest';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { filesIn, perfectFiles, requestsTo, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();

it('4,300 cases: all verified, one call and one request for each', { timeout: 180_000 }, async () => {
  const site = await startSite({ cases: 4_300 });
  const ended = await startMirror(site, scratch('data'), ['--mode', 'full']).ended;
  const perfect = perfectFiles(site);
  const count = Object.keys(perfect).length;
  expect(count).toBeGreaterThan(3_500);
  expect(ended.code).toBe(0);
  expect(jsonIn(ended)).toMatchObject({
    status: 'completed',
    runHealth: 'ok',
    casesTargeted: count,
    downloadsCompleted: count,
  });
  expect(requestsTo(site)).toEqual({ pages: 1, ajax: count, files: count });
  expect(new Set(site.box.log.entries.map(({ token }) => token)).size).toBe(count + (hasRobots(site) ? 1 : 0));
  expect(site.box.stats().peakInFlight).toBeLessThanOrEqual(4);
  expect(filesIn(scratch('data'))).toEqual(perfect);
  const verified = await mirror(scratch('data'), ['verify', '--json']);
  expect([verified.code, jsonIn(verified)]).toMatchObject([0, { ok: true, checked: count }]);
});

/** Its robots.txt was asked for too, which is about no case. */
function hasRobots(site: Awaited<ReturnType<typeof startSite>>): boolean {
  return site.box.log.entries.some(({ path }) => path === '/robots.txt');
}
