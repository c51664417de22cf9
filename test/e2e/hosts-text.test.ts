// `curlew hosts` as a person reads it, word by word, from a ledger in which everything has happened that it can tell of; a
// Retry-After that was not obeyed among it, which no run of Curlew would leave behind.

import { beforeEach, describe, expect, it } from 'vitest';
import type { FetchEvent } from '../../src/fetch/fetch-memory.ts';
import type { HostState } from '../../src/fetch/host-state.ts';
import { storeUnsaved } from '../../src/fetch/stored-memory.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();

/** Far ahead, so that what is still in force then is so today. */
const NOW = Date.UTC(2100, 0, 1, 12);
const at = (seconds: number) => NOW + seconds * 1_000;

const well: HostState = {
  breaker: { kind: 'closed', generation: 0, failures: 0 },
  rate: { paidAt: 0, heldUntil: 0 },
  intervalMs: 500,
  counts: { requests: 1_234, allowed: 1_200, disallowed: 33 },
};

const hosts = new Map<string, HostState>([
  ['court.example', well],
  [
    'down.example',
    {
      ...well,
      breaker: { kind: 'open', generation: 1, failures: 6, delayMs: 60_000, probeAt: at(60) },
      intervalMs: 2_000,
      counts: { requests: 9, allowed: 7, disallowed: 0 },
    },
  ],
  [
    'given-up.example',
    {
      ...well,
      breaker: { kind: 'open', generation: 1, failures: 7, delayMs: 60_000, probeAt: Date.UTC(2020, 0, 1) },
      intervalMs: 0,
      counts: { requests: 8, allowed: 7, disallowed: 0 },
    },
  ],
  [
    'probed.example',
    {
      ...well,
      breaker: { kind: 'half_open', generation: 1, failures: 5, delayMs: 30_000 },
      intervalMs: 0,
      counts: { requests: 6, allowed: 5, disallowed: 1 },
    },
  ],
  [
    'resting.example',
    {
      ...well,
      breaker: { kind: 'closed', generation: 0, failures: 2 },
      rate: { paidAt: 0, heldUntil: at(120) },
      intervalMs: 1_000,
      counts: { requests: 3, allowed: 2, disallowed: 0 },
    },
  ],
]);

const host = 'court.example';
const left = (seconds: number): FetchEvent => ({
  kind: 'unanswered',
  host,
  at: at(seconds),
  url: `https://${host}/`,
  reason: 'the connection was reset',
});
const told = (from: number, until: number, reason: string): FetchEvent => ({
  kind: 'retry_after',
  host,
  at: at(from),
  until: at(until),
  reason,
});
const breaker = (seconds: number, state: 'open' | 'closed', failures: number): FetchEvent => ({
  kind: 'breaker',
  host,
  at: at(seconds),
  state,
  failures,
});

const allowed = (seconds: number, rate: number | 'off', robots: 'allow' | 'strict' | 'off'): FetchEvent => ({
  kind: 'limits',
  at: at(seconds),
  rate,
  robots,
  userAgent: 'curlew/0.1.0',
});

const events: FetchEvent[] = [
  allowed(0, 4, 'allow'),
  // Resumed as it was begun, and then otherwise.
  allowed(10, 4, 'allow'),
  allowed(60, 0.5, 'strict'),
  allowed(75, 'off', 'off'),
  { kind: 'robots_request', host, at: at(0), url: `https://${host}/robots.txt`, result: '200' },
  {
    kind: 'robots',
    host,
    at: at(0),
    origin: `https://${host}`,
    found: 'found',
    fetchedAt: at(0),
    reason: 'HTTP 200',
    text: 'User-agent: *\nDisallow: /sealed/\nCrawl-delay: 2\n',
  },
  ...[2, 4.1, 4.35].map(left),
  told(5, 8, '429 Too Many Requests'),
  left(8),
  told(9, 12, '503 Service Unavailable'),
  left(11.5),
  breaker(20, 'open', 5),
  breaker(50, 'closed', 0),
  breaker(70, 'open', 5),
  told(80, 140, '429 Too Many Requests'),
  { kind: 'probe_request', host: 'down.example', at: at(3), url: 'https://down.example/', result: 'no answer' },
];

const RUN = {
  kind: 'fetch',
  trigger: 'cli',
  name: 'fetch',
  source: undefined,
  params: {},
  replayOf: undefined,
} as const;

beforeEach(async () => {
  const ledger = await Ledger.open(scratch('data'), { clock: new FakeClock(NOW) });
  const run = await ledger.createRun({ ...RUN, settings: {} }, []);
  const writer = await ledger.takeRun(run);
  await writer.heartbeat(storeUnsaved({ sessions: undefined, hosts, robots: new Map(), events }));
  await writer.end('completed', undefined);
  await ledger.close();
});

async function textOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await curlew(['hosts', ...args, '--data', scratch('data')], { env: { TZ: 'UTC' } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('curlew hosts, as text', () => {
  it('has for every host its state, pace, next probe, rest, requests and verdicts of robots.txt', async () => {
    expect(await textOf()).toBe(
      [
        'host              state                one request every  next probe               held until               requests  allowed  disallowed',
        'court.example     closed               500 ms             –                        –                           1,234    1,200          33',
        'down.example      open, 6 failed       2,000 ms           2100-01-01 12:01:00 UTC  –                               9        7           0',
        'given-up.example  open, 7 failed       no limit           2020-01-01 00:00:00 UTC  –                               8        7           0',
        'probed.example    half_open, 5 failed  no limit           –                        –                               6        5           1',
        'resting.example   closed, 2 failed     1,000 ms           –                        2100-01-01 12:02:00 UTC         3        2           0',
        'waiting for down.example until 2100-01-01 12:01:00, breaker open: 6 failures in a row',
        'given-up.example is probed before it is asked again, breaker open: 7 failures in a row',
        'waiting for probed.example, breaker half open, probing: 5 failures in a row',
        'waiting for resting.example until 2100-01-01 12:02:00, it asked for time: Retry-After',
        '',
      ].join('\n'),
    );
  });
});

describe('curlew hosts --receipt, as text', () => {
  it('has for every host its requests, shortest gap, fullest second, crawl-delay, robots.txt, every rest and the breaker', async () => {
    const text = await textOf('--receipt');
    expect(text).toBe(
      [
        'Run 1 of fetch, limit 4 a second, as curlew/0.1.0; ' +
          'from 2100-01-01 12:01:00 UTC on limit 0.5 a second, robots.txt strict, as curlew/0.1.0; ' +
          'from 2100-01-01 12:01:15 UTC on no limit, robots.txt not asked for, as curlew/0.1.0',
        '',
        'court.example',
        '  requests     6, shortest gap 250 ms, at most 2 in any second',
        '  crawl-delay  2,000 ms',
        '  robots.txt   https://court.example: found (HTTP 200), 2100-01-01 12:00:00 UTC',
        '               | User-agent: *',
        '               | Disallow: /sealed/',
        '               | Crawl-delay: 2',
        '  Retry-After  2100-01-01 12:00:05 UTC, 3,000 ms (429 Too Many Requests): obeyed, next request 3,000 ms later',
        '  Retry-After  2100-01-01 12:00:09 UTC, 3,000 ms (503 Service Unavailable): NOT OBEYED, next request 2,500 ms later',
        '  Retry-After  2100-01-01 12:01:20 UTC, 60,000 ms (429 Too Many Requests): obeyed, no request since',
        '  breaker      opened 2100-01-01 12:00:20 UTC after 5 failures, closed 2100-01-01 12:00:50 UTC',
        '  breaker      opened 2100-01-01 12:01:10 UTC after 5 failures, still open',
        '',
        'down.example',
        '  requests     1, at most 1 in any second',
        '',
      ].join('\n'),
    );
    expect(await textOf('--receipt', '1')).toBe(text);
  });

  it('of a run that asked nobody, such as a replay, says so', async () => {
    const ledger = await Ledger.open(scratch('data'), { clock: new FakeClock(NOW) });
    await ledger.createRun({ ...RUN, settings: {} }, []);
    await ledger.close();
    expect(await textOf('--receipt', '2')).toBe('Run 2 of fetch\n\nNo request of it has left.\n');
  });
});
