// G3 for a fleet when the server asks for more time, or is down: what one worker hears holds for all. Real time.

import { describe, expect, it } from 'vitest';
import { ownRedisOrSkip } from '../fixtures/services.ts';
import { gapsLeft, gapsOf, TOLERANCE_MS } from '../politeness/arrivals.ts';
import { courtProcess } from '../politeness/court-process.ts';
import { runFleet } from './paced-fleet.ts';

const redis = await ownRedisOrSkip();
const address = redis?.address ?? '';

describe('eight worker processes on one host', () => {
  it('all stop for the Retry-After that one of them was told', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 429, headers: { 'retry-after': '3' }, path: '/case/9', count: 1 });
    const { fetched, leftAt } = await runFleet(address, court, 16, { rate: 2, robots: 'off' });
    const log = await court.log();
    expect(fetched).toBe(16);
    // What left before the refusal was heard was on its way already: one request or two, at two a second.
    const refusedAt = log.find(({ status }) => status === 429)?.wallTime ?? Number.NaN;
    const times = [...leftAt.values()].filter((at) => at !== undefined).sort((one, other) => one - other);
    const held = gapsLeft(leftAt).findIndex((gap) => gap >= 3_000 - TOLERANCE_MS);
    expect(held).toBeGreaterThan(-1);
    expect(times.filter((at, index) => at > refusedAt && index <= held).length).toBeLessThanOrEqual(2);
  });

  it('all wait while the host is down, and one of them probes', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 503, path: '/', count: 9 });
    const breaker = { failureThreshold: 5, initialDelayMs: 500, maxDelayMs: 2_000, multiplier: 2 };
    const { fetched } = await runFleet(address, court, 24, { rate: 5, robots: 'off', breaker });
    const log = await court.log();
    expect(fetched).toBe(24);
    // Five failures, two probes that fail twice, with HEAD and then with GET, one that does not, and then the pages.
    expect(log.map(({ method }) => method)).toEqual([
      ...Array(5).fill('GET'),
      ...['HEAD', 'GET', 'HEAD', 'GET', 'HEAD'],
      ...Array(24).fill('GET'),
    ]);
    const gaps = gapsOf(log);
    for (const [index, delayMs] of [500, 1_000, 2_000].entries())
      expect(gaps[4 + 2 * index]).toBeGreaterThanOrEqual(delayMs - TOLERANCE_MS);
  });
});
