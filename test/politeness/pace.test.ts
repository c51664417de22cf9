// G3, measured where it counts: at the arrival times of a server that is a process of its own, against the command line as
// another. Real time; about forty seconds in all. How long each request was on its way is known from the ledger.

import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type PolitenessReceipt, politenessReceipt } from '../../src/engine/politeness-receipt.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { fullestSecond, TOLERANCE_MS, tellingGaps } from './arrivals.ts';
import { type CourtProcess, courtProcess } from './court-process.ts';

const scratch = scratchDirectory();

interface Fetched {
  readonly kinds: readonly string[];
  readonly receipt: PolitenessReceipt;
  /** When each address was asked for last, in wall time. */
  readonly leftAt: ReadonlyMap<string, number>;
}

/** Fetches with eight workers, and reads what the ledger says about it. */
async function fetchAll(courts: readonly CourtProcess[], urls: readonly string[], rate: number): Promise<Fetched> {
  await writeFile(scratch('urls.txt'), urls.join('\n'));
  const allowed = courts.flatMap(({ host }) => ['--allow-host', host]);
  const options = ['--data', scratch('data'), '--json', '--rate', String(rate), '--concurrency', '8'];
  const { stdout } = await curlew(['fetch', scratch('urls.txt'), ...options, ...allowed]);
  const kinds = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  const ledger = await Ledger.open(scratch('data'), { clock: systemClock, readOnly: true });
  const run = await ledger.run('latest');
  const leftAt = new Map<string, number>();
  for await (const { url, at } of ledger.requestStarts(run.id)) leftAt.set(url, at);
  const receipt = await politenessReceipt(ledger, run);
  await ledger.close();
  return { kinds, receipt, leftAt };
}

const cases = (court: CourtProcess, count: number) =>
  Array.from({ length: count }, (_, index) => `${court.url}/case/${index + 1}`);

describe('at the server', () => {
  it('eight workers at five a second never come nearer to each other, for twenty seconds', async () => {
    // Slower than the rate, so that several requests are under way at any time.
    const court = await courtProcess('--latency', '500-900');
    const { kinds, receipt, leftAt } = await fetchAll([court], cases(court, 100), 5);
    const log = await court.log();
    expect(kinds).toEqual(Array(100).fill('ok'));
    expect(log).toHaveLength(101);
    expect((log.at(-1)?.arrivedAt ?? 0) - (log[0]?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(20_000 - TOLERANCE_MS);
    expect(Math.max(...log.map(({ inFlight }) => inFlight))).toBeGreaterThan(2);
    expect(fullestSecond(leftAt)).toBeLessThanOrEqual(5 + 1);
    const telling = tellingGaps(court, log, leftAt);
    expect(telling.length).toBeGreaterThan(0);
    expect(Math.min(...telling)).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
    // The receipt counts what the server counted, and no gap was shorter where the requests left.
    const [mine] = receipt.hosts;
    expect(mine).toMatchObject({ host: court.host, requests: 101 });
    expect(mine?.shortestGapMs).toBeGreaterThanOrEqual(200);
    expect(mine?.peakPerSecond).toBeLessThanOrEqual(5);
  });

  it('crawl-delay makes them slower', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 200, body: 'User-agent: *\nCrawl-delay: 2\n', path: '/robots.txt' });
    const { receipt, leftAt } = await fetchAll([court], cases(court, 4), 50);
    const log = await court.log();
    expect(log).toHaveLength(5);
    const telling = tellingGaps(court, log, leftAt);
    expect(Math.min(...telling)).toBeGreaterThanOrEqual(2_000 - TOLERANCE_MS);
    // And each came that long after the one before it had left, held up or not.
    for (const [index, { path }] of log.slice(1, -1).entries()) {
      const left = leftAt.get(court.url + path) ?? expect.fail(`${path} never left`);
      expect((log[index + 2]?.wallTime ?? 0) - left).toBeGreaterThanOrEqual(2_000 - TOLERANCE_MS);
    }
    expect(receipt.hosts).toMatchObject([{ crawlDelayMs: 2_000 }]);
    expect(receipt.hosts[0]?.shortestGapMs).toBeGreaterThanOrEqual(2_000);
  });

  it('Retry-After stops all of them, and none comes early', async () => {
    const court = await courtProcess('--latency', '300');
    await court.fault({ kind: 'status', status: 429, headers: { 'retry-after': '3' }, path: '/case/5', count: 1 });
    const { kinds, receipt, leftAt } = await fetchAll([court], cases(court, 20), 20);
    const log = await court.log();
    expect(kinds).toEqual(Array(20).fill('ok'));
    const [heard] = receipt.hosts[0]?.retryAfters ?? [];
    if (heard === undefined) return expect.fail('nothing was refused');
    expect(heard.obeyed).toBe(true);
    // Two readings of the clock: the answer was read a moment before it was reported.
    expect(heard.until - heard.at).toBeGreaterThan(3_000 - TOLERANCE_MS);
    expect(heard.until - heard.at).toBeLessThanOrEqual(3_000);
    const refused = log.find(({ status }) => status === 429);
    expect(heard.at - (refused?.wallTime ?? 0)).toBeGreaterThanOrEqual(300 - TOLERANCE_MS);
    // What left before the refusal was heard may still arrive; what left after it arrives three seconds later.
    const later = log.filter(({ path }) => (leftAt.get(court.url + path) ?? 0) > heard.at && path !== '/case/5');
    expect(later.length).toBeGreaterThan(5);
    expect(Math.min(...later.map(({ wallTime }) => wallTime))).toBeGreaterThanOrEqual(heard.until - TOLERANCE_MS);
  });

  it('two hosts do not wait for each other', async () => {
    const [slow, quick] = await Promise.all([courtProcess(), courtProcess()]);
    await slow.fault({ kind: 'status', status: 429, headers: { 'retry-after': '4' }, path: '/case/', count: 1 });
    const { leftAt } = await fetchAll([slow, quick], [...cases(slow, 20), ...cases(quick, 20)], 20);
    const refused = (await slow.log()).find(({ status }) => status === 429);
    const resumed = (await slow.log()).find(({ path, status }) => path.startsWith('/case/') && status === 200);
    expect((await quick.log()).length).toBe(21);
    // The quick one is asked while the slow one is waited for. Wall time: they are two processes.
    const [from, until] = [refused?.wallTime ?? Number.NaN, resumed?.wallTime ?? Number.NaN];
    expect(until - from).toBeGreaterThanOrEqual(4_000 - TOLERANCE_MS);
    const meanwhile = cases(quick, 20).filter((url) => (leftAt.get(url) ?? 0) > from && (leftAt.get(url) ?? 0) < until);
    expect(meanwhile.length).toBeGreaterThan(0);
  });
});
