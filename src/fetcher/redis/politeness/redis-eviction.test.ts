// A Redis that is full evicts what has a time to live, the shortest first. What politeness rests on is not among it.

import { expect, it } from 'vitest';
import { fleetOf, newHost, toldOf } from '../../../../test/fixtures/redis-fleet.ts';
import { ownRedisOrSkip } from '../../../../test/fixtures/services.ts';
import { defaultBreakerSettings } from '../../../fetch/politeness/breaker-state.ts';
import { systemClock } from '../../../platform/clock.ts';
import { redisBackend } from '../redis-backend.ts';
import { bucketKey } from './bucket-script.ts';
import { takeTurn } from './take-turn.ts';

const server = await ownRedisOrSkip({ maxmemory: '4mb', 'maxmemory-policy': 'volatile-ttl', appendonly: 'no' });
const url = server?.address ?? '';
const never = new AbortController().signal;
const HOUR_MS = 3_600_000;
const ONCE_AN_HOUR = { ratePerSecond: 1_000 / HOUR_MS, burst: 1, jitter: 0 };

it('pages are evicted, but no pace, hold, breaker, lock of robots.txt or lease of the pump', async () => {
  const fleet = await fleetOf(2, url);
  const [one, other] = fleet;
  if (one === undefined || other === undefined) return expect.fail('there are no workers');
  const [paced, held, down] = [newHost(), newHost(), newHost()];
  (await one.politeness.limiter(paced, ONCE_AN_HOUR).takeTurn(never)).leave();
  one.politeness.limiter(held, ONCE_AN_HOUR).holdUntil(systemClock.now() + HOUR_MS / 2);
  const breaker = one.politeness.breaker(down, defaultBreakerSettings, { probe: async () => expect.fail('a probe') });
  const ticket = await breaker.waitUntilAllowed(never);
  for (let failure = 0; failure < 5; failure++) breaker.record(ticket, 'down');
  await toldOf(fleet);
  const lock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const working = one.politeness.robots.alone(`https://${paced}`, never, () => {
    locked.resolve();
    return lock.promise;
  });
  await locked.promise;
  const { outbox } = redisBackend(one.connection, { clock: systemClock });
  expect(await outbox.take({ pump: 'one', leaseMs: 60_000, limit: 1 })).toMatchObject({ kind: 'entries' });

  const evicted = async () => {
    const stats = await one.connection.run((client) => client.info('stats'));
    return Number(/^evicted_keys:(\d+)/m.exec(stats)?.[1]);
  };
  const page = 'x'.repeat(10_000);
  // These live longer than anything else that is there, so they are evicted last.
  for (let n = 0; (await evicted()) < 500; n++) {
    await one.connection.run((client) => client.set(`webpage:${n}`, page, { PX: 48 * HOUR_MS }));
  }

  const keys = [bucketKey(paced), bucketKey(held), `circuit_breaker:${down}`, `robots_lock:${paced}`];
  const there = await Promise.all(keys.map((key) => one.connection.run((client) => client.exists(key))));
  expect(there).toEqual([1, 1, 1, 1]);
  for (const host of [paced, held]) {
    const question = { caller: 'a new one', intervalMs: HOUR_MS, gapMs: HOUR_MS, burst: 1, isKnown: false, heldMs: 0 };
    const answer = await takeTurn(other.connection, bucketKey(host), { ...question, leaseMs: 3_000 });
    expect([host, answer.isGranted]).toEqual([host, false]);
  }
  const known = other.politeness.breaker(down, defaultBreakerSettings, { probe: async () => expect.fail('a probe') });
  expect(await known.isValid({ generation: 0 })).toBe(false);
  const { outbox: others } = redisBackend(other.connection, { clock: systemClock });
  expect(await others.take({ pump: 'other', leaseMs: 60_000, limit: 1 })).toEqual({ kind: 'busy' });
  lock.resolve();
  await working;
});
