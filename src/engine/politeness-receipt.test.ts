import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchEvent } from '../fetch/fetch-memory.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { UnsavedMemory } from '../ledger/run-writer.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { type PolitenessReceipt, politenessReceipt } from './politeness-receipt.ts';

let directory: string;
let ledger: Ledger;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-receipt-'));
  ledger = await Ledger.open(directory, { clock: new FakeClock() });
});
afterEach(async () => {
  await ledger.close();
  await rm(directory, { recursive: true, force: true });
});

const host = 'court.example';
const left = (at: number): FetchEvent => ({ kind: 'unanswered', host, at, url: 'https://court.example/', reason: 'x' });
const limits = (at: number, rate: number | 'off', userAgent = 'curlew/1'): FetchEvent => ({
  kind: 'limits',
  at,
  rate,
  robots: 'allow',
  userAgent,
});

/** The receipt of a run that heard of these events and of nothing else. */
async function receiptOf(events: readonly FetchEvent[], settings = {}): Promise<PolitenessReceipt> {
  const created = {
    kind: 'fetch',
    trigger: 'cli',
    name: 'fetch',
    source: undefined,
    params: {},
    replayOf: undefined,
  } as const;
  const id = await ledger.createRun({ ...created, settings }, []);
  const writer = await ledger.takeRun(id);
  const memory = { sessions: undefined, hosts: new Map(), robots: new Map(), events };
  // As the engine hands it on: plain data, whatever its type.
  await writer.heartbeat(memory as unknown as UnsavedMemory);
  return politenessReceipt(ledger, await ledger.run(id));
}

describe('a politeness receipt', () => {
  it('counts everything that left, in whatever order it was written down', async () => {
    const {
      hosts: [receipt],
    } = await receiptOf([
      left(5_000),
      { kind: 'probe_request', host, at: 1_000, url: 'https://court.example/', result: '200' },
      { kind: 'robots_request', host, at: 5_400, url: 'https://court.example/robots.txt', result: '404' },
      { kind: 'page_request', host, at: 5_999, url: 'https://court.example/logo.png', result: '200' },
      left(6_000),
    ]);
    expect(receipt).toMatchObject({ host, requests: 5, shortestGapMs: 1, peakPerSecond: 3 });
  });

  it('has no gap where there was one request', async () => {
    expect((await receiptOf([left(1)])).hosts).toMatchObject([{ requests: 1, shortestGapMs: null, peakPerSecond: 1 }]);
    expect((await receiptOf([])).hosts).toEqual([]);
  });

  it('says under which limits a run was worked on, each time when they changed', async () => {
    const begun = await receiptOf([limits(1, 1), limits(2, 1), limits(3, 4), limits(4, 2)]);
    expect(begun.limits.map(({ from, rate }) => [from, rate])).toEqual([
      [1, 1],
      [3, 4],
      [4, 2],
    ]);
    expect(begun.rate).toBe(4);
    expect((await receiptOf([limits(1, 1), limits(2, 'off')])).rate).toBe('off');
    expect(await receiptOf([])).toMatchObject({ rate: null, limits: [] });
  });

  it('goes by the settings of the run for what it asked before it told of its limits', async () => {
    const settings = { rate: 9, userAgent: 'civic/2.0' };
    const begun = await receiptOf([left(5), limits(7, 2)], settings);
    expect(begun.limits.map(({ rate, userAgent }) => [rate, userAgent])).toEqual([
      [9, 'civic/2.0'],
      [2, 'curlew/1'],
    ]);
    expect((await receiptOf([left(5)], settings)).rate).toBe(9);
    expect((await receiptOf([limits(5, 2), left(5)], settings)).rate).toBe(2);
  });

  it('tells when a Retry-After was not obeyed', async () => {
    const hold = (at: number, until: number): FetchEvent => ({ kind: 'retry_after', host, at, until, reason: '429' });
    const {
      hosts: [receipt],
    } = await receiptOf([left(1_000), hold(1_100, 4_100), left(4_100), hold(4_200, 9_000), left(8_000)]);
    expect(receipt?.retryAfters).toMatchObject([
      { at: 1_100, nextRequestAt: 4_100, obeyed: true },
      { at: 4_200, nextRequestAt: 8_000, obeyed: false },
    ]);
  });

  it('pairs the openings of a breaker with their ends', async () => {
    const breaker = (at: number, state: 'open' | 'closed'): FetchEvent => ({
      kind: 'breaker',
      host,
      at,
      state,
      failures: 5,
    });
    const {
      hosts: [receipt],
    } = await receiptOf([breaker(1, 'open'), breaker(2, 'closed'), breaker(3, 'open')]);
    expect(receipt?.breakerOpenings).toEqual([
      { at: 1, failures: 5, closedAt: 2 },
      { at: 3, failures: 5, closedAt: null },
    ]);
  });

  it('holds every robots.txt that was in force, once, and the longest delay it asked us for', async () => {
    const robots = (fetchedAt: number, text?: string): FetchEvent => ({
      kind: 'robots',
      host,
      at: fetchedAt,
      origin: 'https://court.example',
      found: text === undefined ? 'unavailable' : 'found',
      fetchedAt,
      reason: 'HTTP',
      ...(text !== undefined && { text }),
    });
    const asks = robots(2, 'User-agent: civic\nCrawl-delay: 3\n\nUser-agent: *\nCrawl-delay: 9');
    const {
      hosts: [receipt],
    } = await receiptOf([limits(0, 1, 'civic/2.0'), robots(1), asks, asks]);
    expect(receipt?.robots.map(({ fetchedAt, text }) => [fetchedAt, text === null])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(receipt?.crawlDelayMs).toBe(3_000);
  });
});
