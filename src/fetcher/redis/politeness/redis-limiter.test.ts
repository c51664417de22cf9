// What a limiter over Redis keeps beyond the contract that all limiters share (test/conformance/limiter.ts): Redis may
// forget, go away and come back, and workers may die.

import { describe, expect, it } from 'vitest';
import { fleetOf, fleetWorker, newHost, toldOf } from '../../../../test/fixtures/redis-fleet.ts';
import { ownRedisOrSkip } from '../../../../test/fixtures/services.ts';
import type { Limiter, RateSettings } from '../../../fetch/politeness/limiter.ts';
import { systemClock } from '../../../platform/clock.ts';
import { KEPT_KEYS } from './kept-key.ts';
import type { RedisStatus } from './patient-redis.ts';
import { takeTurn } from './take-turn.ts';

const server = await ownRedisOrSkip();
const url = server?.address ?? '';
const never = new AbortController().signal;
const at = (ratePerSecond: number | 'off', burst = 1): RateSettings => ({ ratePerSecond, burst, jitter: 0 });
const ONCE_A_MINUTE = at(1 / 60);

/** The moment between being let go and having left. */
async function leave(limiter: Limiter): Promise<number> {
  const turn = await limiter.takeTurn(never);
  const moment = systemClock.monotonic();
  turn.leave();
  return moment;
}

async function expectWaiting(limiter: Limiter): Promise<void> {
  const impatient = new AbortController();
  const waiting = limiter.takeTurn(impatient.signal);
  const refused = expect(waiting).rejects.toThrow('still waiting');
  await systemClock.sleep(300);
  impatient.abort(new Error('still waiting'));
  await refused;
}

function shortestGap(starts: readonly number[]): number {
  const sorted = starts.toSorted((a, b) => a - b);
  return Math.min(...sorted.slice(1).map((moment, index) => moment - (sorted[index] ?? 0)));
}

describe('a limiter over Redis', () => {
  it('lets the first request to a host that nobody knows go at once, and that one only', async () => {
    const host = newHost();
    const [one, other] = (await fleetOf(2, url)).map(({ politeness }) => politeness.limiter(host, ONCE_A_MINUTE));
    await leave(one ?? expect.fail());
    await expectWaiting(other ?? expect.fail());
  });

  it('keeps its key under the name of the seed for ten minutes longer than it matters, and not for ever', async () => {
    const host = newHost();
    const { politeness, connection } = await fleetWorker(url);
    await leave(politeness.limiter(host, ONCE_A_MINUTE));
    await politeness.idle();
    const key = `rate_limit:${host}`;
    const untilMs = (await connection.run((client) => client.zScore(KEPT_KEYS, key))) ?? 0;
    expect(untilMs - systemClock.now()).toBeGreaterThan(600_000);
    expect(untilMs - systemClock.now()).toBeLessThan(661_000);
    // When that time is over, whoever writes next removes it.
    await connection.run((client) => client.zAdd(KEPT_KEYS, { value: key, score: 1 }));
    await leave(politeness.limiter(newHost(), ONCE_A_MINUTE));
    await politeness.idle();
    expect(await connection.run((client) => client.exists(key))).toBe(0);
    expect(await connection.run((client) => client.zScore(KEPT_KEYS, key))).toBeNull();
  });

  it('makes no burst when its keys are lost, however often', async () => {
    const host = newHost();
    const fleet = await fleetOf(4, url);
    const starts: number[] = [];
    const work = fleet.map(async ({ politeness }) => {
      const limiter = politeness.limiter(host, at(20));
      for (let request = 0; request < 8; request++) starts.push(await leave(limiter));
    });
    // Each of them has seen the bucket before it is lost.
    while (starts.length < 8) await systemClock.sleep(5);
    while (starts.length < 30) {
      await fleet[0]?.connection.run((client) => client.flushAll());
      await systemClock.sleep(133);
    }
    await Promise.all(work);
    expect(starts).toHaveLength(32);
    expect(shortestGap(starts)).toBeGreaterThanOrEqual(50);
  });

  it('remembers a hold that Redis has lost', async () => {
    const host = newHost();
    const fleet = await fleetOf(3, url);
    const limiters = fleet.map(({ politeness }) => politeness.limiter(host, at(20)));
    for (const limiter of limiters) await leave(limiter);
    const heldUntil = systemClock.monotonic() + 800;
    limiters[0]?.holdUntil(systemClock.now() + 800);
    await toldOf(fleet);
    const starts = limiters.map(leave);
    // All have heard of it when all stand in line for the second time.
    await systemClock.sleep(200);
    await fleet[0]?.connection.run((client) => client.flushAll());
    expect(Math.min(...(await Promise.all(starts)))).toBeGreaterThanOrEqual(heldUntil - 2);
  });

  it('has one token in a new bucket, and a burst after a quiet time', async () => {
    const [fresh, rested] = [newHost(), newHost()];
    const { connection, politeness } = await fleetWorker(url);
    const one = politeness.limiter(fresh, at(1 / 60, 3));
    await leave(one);
    await expectWaiting(one);
    const bucket = { startedAt: 0, paidAt: 0, gapMs: 60_000, heldUntil: 0, line: [] };
    await connection.run((client) => client.set(`rate_limit:${rested}`, JSON.stringify(bucket)));
    const other = politeness.limiter(rested, at(1 / 60, 3));
    for (let request = 0; request < 3; request++) await leave(other);
    await expectWaiting(other);
  });

  it('hands on the turn of a worker that died with it, after its time and a gap', async () => {
    const host = newHost();
    const { connection, politeness } = await fleetWorker(url);
    const dying = { caller: 'dead', intervalMs: 100, gapMs: 100, burst: 1, isKnown: false, heldMs: 0, leaseMs: 300 };
    // By Redis' own clock: how long its answers take to come is of no account.
    const startedAt = async () => {
      const bucket = await connection.run((client) => client.get(`rate_limit:${host}`));
      return JSON.parse(bucket ?? expect.fail()).startedAt as number;
    };
    const askedAt = systemClock.monotonic();
    expect(await takeTurn(connection, `rate_limit:${host}`, dying)).toMatchObject({ isGranted: true });
    const diedAt = await startedAt();
    const next = await leave(politeness.limiter(host, at(10)));
    expect(next - askedAt).toBeGreaterThanOrEqual(398);
    await politeness.idle();
    // Redis writes times to a tenth of a millisecond.
    expect((await startedAt()) - diedAt).toBeGreaterThanOrEqual(399.8);
  });

  it('passes over a worker that died in the line', async () => {
    const host = newHost();
    const { connection, politeness } = await fleetWorker(url);
    const limiter = politeness.limiter(host, at(10));
    await leave(limiter);
    await politeness.idle();
    const dying = { caller: 'dead', intervalMs: 100, gapMs: 100, burst: 1, isKnown: true, heldMs: 0, leaseMs: 300 };
    expect(await takeTurn(connection, `rate_limit:${host}`, dying)).toMatchObject({ isGranted: false });
    await leave(limiter);
  });

  it('keeps the turn of a request that takes longer to leave than a dead worker would be waited for', async () => {
    const host = newHost();
    // Long enough that a busy machine does not take this process for dead.
    const fleet = await fleetOf(2, url, { turnLeaseMs: 500 });
    const [one, other] = fleet.map(({ politeness }) => politeness.limiter(host, at(20)));
    const turn = await one?.takeTurn(never);
    const next = leave(other ?? expect.fail());
    await systemClock.sleep(2_000);
    const leftAt = systemClock.monotonic();
    turn?.leave();
    expect((await next) - leftAt).toBeGreaterThanOrEqual(50);
  });

  it('lets nothing leave by a turn that was lost while the process stood still', async () => {
    const host = newHost();
    const [worker] = await fleetOf(1, url, { turnLeaseMs: 500 });
    const limiter = worker?.politeness.limiter(host, at(20)) ?? expect.fail();
    const turn = await limiter.takeTurn(never);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(turn.leave()).toBe(false);
    const next = await limiter.takeTurn(never);
    expect(next.leave()).toBe(true);
    expect(next.leave()).toBe(false);
  });

  it('gives one turn to who asks twice, for the first answer was lost', async () => {
    const { connection } = await fleetWorker(url);
    const key = `rate_limit:${newHost()}`;
    const ask = (caller: string) =>
      takeTurn(connection, key, {
        caller,
        intervalMs: 60_000,
        gapMs: 60_000,
        burst: 1,
        isKnown: false,
        heldMs: 0,
        leaseMs: 60_000,
      });
    expect(await ask('one')).toMatchObject({ isGranted: true });
    expect(await ask('one')).toMatchObject({ isGranted: true });
    expect(await ask('other')).toMatchObject({ isGranted: false });
  });

  it('does not wait for a time that is far ahead because the clock of Redis was set back', async () => {
    const host = newHost();
    const { connection, politeness } = await fleetWorker(url);
    const ahead = systemClock.now() + 3_600_000;
    const line = [['gone', 0]];
    const bucket = { startedAt: ahead, paidAt: ahead + 50, gapMs: 50, heldUntil: 0, line };
    await connection.run((client) => client.set(`rate_limit:${host}`, JSON.stringify(bucket)));
    await leave(politeness.limiter(host, at(20)));
  });

  it('waits while Redis is away, says so, and goes on with the gap kept when it is back', async () => {
    const host = newHost();
    const said: RedisStatus[] = [];
    const { politeness } = await fleetWorker(url, { onStatus: (status) => said.push(status) });
    const limiter = politeness.limiter(host, at(2));
    const before = await leave(limiter);
    await politeness.idle();
    await server?.kill();
    let left = false;
    const next = leave(limiter).then((moment) => {
      left = true;
      return moment;
    });
    while (said.length === 0) await systemClock.sleep(10);
    expect(said).toMatchObject([{ kind: 'unreachable' }]);
    await systemClock.sleep(1_000);
    expect(left).toBe(false);
    await server?.start();
    expect((await next) - before).toBeGreaterThanOrEqual(1_500);
    expect(said.map(({ kind }) => kind)).toEqual(['unreachable', 'reachable']);
  });

  it('waits for a gap after Redis was restarted, for it may have come back with an old state', async () => {
    const host = newHost();
    const fleet = await fleetOf(2, url);
    const [one, other] = fleet.map(({ politeness }) => politeness.limiter(host, at(1)));
    await leave(other ?? expect.fail());
    await toldOf(fleet);
    const { connection } = fleet[0] ?? expect.fail();
    const old = await connection.run((client) => client.get(`rate_limit:${host}`));
    const last = await leave(one ?? expect.fail());
    await toldOf(fleet);
    // As a snapshot from before the last request would have it.
    await connection.run((client) => client.set(`rate_limit:${host}`, old ?? ''));
    await server?.kill();
    await server?.start();
    expect((await leave(other ?? expect.fail())) - last).toBeGreaterThanOrEqual(1_000);
  });
});
