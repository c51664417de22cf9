// G3 for a fleet, measured where it counts: at the server. Real time.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownRedisOrSkip } from '../fixtures/services.ts';
import { fullestSecond, TOLERANCE_MS, tellingGaps } from '../politeness/arrivals.ts';
import { type CourtProcess, courtProcess } from '../politeness/court-process.ts';
import { runFleet } from './paced-fleet.ts';

const redis = await ownRedisOrSkip();
const address = redis?.address ?? '';

/** Resolves when so many requests have arrived. */
async function arrivals(court: CourtProcess, count: number): Promise<void> {
  while ((await court.log()).length < count) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('eight worker processes on one host', () => {
  it('keep to five a second together, and ask for robots.txt once', async () => {
    // Slower than the rate, so that several requests are under way at any time.
    const court = await courtProcess('--latency', '300-600');
    const { fetched, leftAt } = await runFleet(address, court, 80, { rate: 5, robots: 'allow' });
    const log = await court.log();
    expect(fetched).toBe(80);
    expect(log.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
    expect(log).toHaveLength(81);
    expect((log.at(-1)?.arrivedAt ?? 0) - (log[0]?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(80 * 200 - TOLERANCE_MS);
    expect(Math.max(...log.map(({ inFlight }) => inFlight))).toBeGreaterThan(1);
    expect(fullestSecond(leftAt)).toBeLessThanOrEqual(5 + 1);
    const telling = tellingGaps(court, log, leftAt);
    expect(telling.length).toBeGreaterThan(0);
    expect(Math.min(...telling)).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
  });

  it('keep to it when Redis is killed in the middle and comes back empty', async () => {
    const court = await courtProcess();
    const running = runFleet(address, court, 60, { rate: 5, robots: 'allow' });
    await arrivals(court, 20);
    await redis?.kill();
    const killedAt = (await court.log()).length;
    await rm(join(redis?.directory ?? '', 'appendonlydir'), { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // What had its turn may still have come.
    expect((await court.log()).length).toBeLessThanOrEqual(killedAt + 1);
    await redis?.start();
    const { fetched, lines, leftAt } = await running;
    const log = await court.log();
    expect(fetched).toBe(60);
    expect(log).toHaveLength(61);
    expect(fullestSecond(leftAt)).toBeLessThanOrEqual(5 + 1);
    expect(Math.min(...tellingGaps(court, log, leftAt))).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
    const said = lines.flatMap((line) => (line.kind === 'redis' ? [line.status] : []));
    expect(said.filter((status) => status === 'unreachable')).not.toEqual([]);
    expect(said.filter((status) => status === 'reachable').length).toBe(
      said.filter((status) => status === 'unreachable').length,
    );
  });
});
