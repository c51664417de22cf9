// What a cache of robots.txt over Redis keeps beyond the contract that all of them share (test/conformance/robots-cache.ts).

import { describe, expect, it } from 'vitest';
import { fleetOf, fleetWorker, newHost } from '../../../../test/fixtures/redis-fleet.ts';
import { redisOrSkip } from '../../../../test/fixtures/services.ts';
import type { RobotsRecord } from '../../../fetch/robots/robots-store.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';

const url = await redisOrSkip();
const never = new AbortController().signal;
const HOUR_MS = 3_600_000;

const found = (fetchedAt: number): RobotsRecord => ({
  kind: 'found',
  text: 'User-agent: *',
  fetchedAt,
  reason: 'HTTP 200',
});

/** A clock that is wrong by so much. */
const wrong = (byMs: number): Clock => ({
  now: () => systemClock.now() + byMs,
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
});

describe('a store of robots.txt over Redis', () => {
  it('keeps a record under the name of the seed for a day, and another for each other origin of a host', async () => {
    const host = newHost();
    const { politeness, connection } = await fleetWorker(url);
    await politeness.robots.set(`https://${host}`, found(systemClock.now()));
    await politeness.robots.set(`http://${host}:8080`, found(systemClock.now()));
    for (const key of [`robots:${host}`, `robots:http://${host}:8080`]) {
      const ttlMs = await connection.run((client) => client.pTTL(key));
      expect(ttlMs).toBeGreaterThan(23 * HOUR_MS);
      expect(ttlMs).toBeLessThanOrEqual(24 * HOUR_MS);
    }
    expect(await politeness.robots.get(`http://${host}`)).toBeUndefined();
  });

  it.each<RobotsRecord>([
    found(0),
    { kind: 'unavailable', fetchedAt: 0, reason: 'HTTP 404' },
    { kind: 'unreachable', text: undefined, fetchedAt: 0, reason: 'HTTP 503' },
    { kind: 'unreachable', text: 'User-agent: *', fetchedAt: 0, reason: 'HTTP 503' },
  ])('gives back what it was given: $kind', async (record) => {
    const origin = `https://${newHost()}`;
    const [one, other] = await fleetOf(2, url);
    await one?.politeness.robots.set(origin, { ...record, fetchedAt: systemClock.now() });
    expect(await other?.politeness.robots.get(origin)).toEqual({ ...record, fetchedAt: expect.any(Number) });
  });

  it('gives the age by the clock of Redis, so that workers whose clocks are wrong agree on it', async () => {
    const origin = `https://${newHost()}`;
    const [ahead, behind] = [wrong(5 * HOUR_MS), wrong(-5 * HOUR_MS)];
    const one = await fleetWorker(url, { clock: ahead });
    const other = await fleetWorker(url, { clock: behind });
    await one.politeness.robots.set(origin, found(ahead.now() - HOUR_MS));
    const seen = await other.politeness.robots.get(origin);
    const ageMs = behind.now() - (seen?.fetchedAt ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(HOUR_MS - 10);
    expect(ageMs).toBeLessThan(HOUR_MS + 60_000);
  });

  it('has the last copy after the record was taken away, as one that is out of date', async () => {
    const host = newHost();
    const { politeness, connection } = await fleetWorker(url);
    await politeness.robots.set(`https://${host}`, found(systemClock.now()));
    await connection.run((client) => client.del(`robots:${host}`));
    expect(await politeness.robots.get(`https://${host}`)).toEqual(found(0));
  });

  it('takes what cannot be read for nothing', async () => {
    const host = newHost();
    const { politeness, connection } = await fleetWorker(url);
    await connection.run((client) => client.set(`robots:${host}`, 'User-agent: *'));
    expect(await politeness.robots.get(`https://${host}`)).toBeUndefined();
  });

  it('lets another work alone when who did has died, and not before', async () => {
    const origin = `https://${newHost()}`;
    // Long enough that a busy machine does not take this process for dead.
    const [dying, living] = await fleetOf(2, url, { workLeaseMs: 1_000 });
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    let begun = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const stuck = dying?.politeness.robots.alone(origin, never, () => {
      begun();
      return end;
    });
    await underWay;
    let entered = false;
    const next = living?.politeness.robots.alone(origin, never, async () => {
      entered = true;
    });
    // It lives, and keeps what it has for longer than its time.
    await systemClock.sleep(2_500);
    expect(entered).toBe(false);
    await dying?.connection.close();
    await next;
    expect(entered).toBe(true);
    ended();
    await stuck;
  });
});
