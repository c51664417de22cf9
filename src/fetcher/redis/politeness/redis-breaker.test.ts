// What a breaker over Redis keeps beyond the contract that all breakers share (test/conformance/breaker.ts): Redis may
// forget, go away and come back, and workers may die.

import { describe, expect, it } from 'vitest';
import { type FleetWorker, fleetOf, fleetWorker, newHost, toldOf } from '../../../../test/fixtures/redis-fleet.ts';
import { ownRedisOrSkip } from '../../../../test/fixtures/services.ts';
import type { Breaker } from '../../../fetch/politeness/breaker.ts';
import {
  type BreakerSettings,
  defaultBreakerSettings,
  type ProbeResult,
} from '../../../fetch/politeness/breaker-state.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { RedisStatus } from './patient-redis.ts';
import { breakerKey } from './redis-value.ts';

const server = await ownRedisOrSkip();
const url = server?.address ?? '';
const never = new AbortController().signal;
const QUICK: BreakerSettings = { failureThreshold: 5, initialDelayMs: 200, maxDelayMs: 400, multiplier: 2 };
const back: ProbeResult = { kind: 'answer', status: 200 };

async function open(breaker: Breaker, { politeness }: FleetWorker): Promise<void> {
  const ticket = await breaker.waitUntilAllowed(never);
  for (let failure = 0; failure < 5; failure++) breaker.record(ticket, 'down');
  await politeness.idle();
}

describe('a breaker over Redis', () => {
  it('stays open over a restart of every worker', async () => {
    const host = newHost();
    const worker = await fleetWorker(url);
    const probe = async () => back;
    await open(worker.politeness.breaker(host, defaultBreakerSettings, { probe }), worker);
    const later = (await fleetWorker(url)).politeness.breaker(host, defaultBreakerSettings, { probe });
    expect(await later.isValid({ generation: 0 })).toBe(false);
    expect(later.state).toMatchObject({ kind: 'open', failures: 5, delayMs: 30_000 });
    const due = later.state.kind === 'open' ? later.state.probeAt - systemClock.now() : 0;
    expect(due).toBeGreaterThan(0);
    expect(due).toBeLessThanOrEqual(30_000);
  });

  it('tells each worker of every change as it learns of it', async () => {
    const host = newHost();
    const fleet = await fleetOf(2, url);
    const heard: string[] = [];
    const [one, other] = fleet.map(({ politeness }, index) =>
      politeness.breaker(host, QUICK, {
        probe: async () => back,
        onChange: ({ kind }) => {
          if (index === 1 && heard.at(-1) !== kind) heard.push(kind);
        },
      }),
    );
    await open(one ?? expect.fail(), fleet[0] ?? expect.fail());
    await other?.waitUntilAllowed(never);
    expect(heard).toEqual(['open', 'half_open', 'closed']);
  });

  it('has the probe of a worker that died made by another', async () => {
    const host = newHost();
    const [dying, living] = await fleetOf(2, url, { workLeaseMs: 300 });
    if (dying === undefined || living === undefined) return expect.fail();
    let begun = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = dying.politeness.breaker(host, QUICK, {
      probe(signal) {
        begun();
        return systemClock.sleep(60_000, signal).then(() => back);
      },
    });
    await open(first, dying);
    const given = new AbortController();
    const waiting = first.waitUntilAllowed(given.signal).catch(() => {});
    await underWay;
    // As if it had been killed: it says nothing more.
    dying.connection.close();
    const diedAt = systemClock.monotonic();
    let probedAt = 0;
    const second = living.politeness.breaker(host, QUICK, {
      async probe() {
        probedAt = systemClock.monotonic();
        return back;
      },
    });
    await second.waitUntilAllowed(never);
    expect(probedAt).toBeGreaterThan(diedAt);
    given.abort();
    await waiting;
  });

  it('keeps a probe that takes longer than a dead worker would be waited for', async () => {
    const host = newHost();
    // Long enough that a busy machine does not take this process for dead.
    const fleet = await fleetOf(3, url, { workLeaseMs: 1_000 });
    let probes = 0;
    const probe = async () => {
      probes++;
      await systemClock.sleep(3_000);
      return back;
    };
    const breakers = fleet.map(({ politeness }) => politeness.breaker(host, QUICK, { probe }));
    await open(breakers[0] ?? expect.fail(), fleet[0] ?? expect.fail());
    await Promise.all(breakers.map((breaker) => breaker.waitUntilAllowed(never)));
    expect(probes).toBe(1);
  });

  it.each(['lost', 'old'] as const)('gets its state back from the workers when Redis has a %s one', async (what) => {
    const host = newHost();
    const fleet = await fleetOf(2, url);
    const probe = async () => back;
    const [one, other] = fleet.map(({ politeness }) => politeness.breaker(host, defaultBreakerSettings, { probe }));
    const { connection } = fleet[0] ?? expect.fail();
    if (what === 'old') {
      one?.record(await one.waitUntilAllowed(never), 'down');
      await toldOf(fleet);
    }
    const old = await connection.run((client) => client.get(breakerKey(host)));
    await open(one ?? expect.fail(), fleet[0] ?? expect.fail());
    await connection.run((client) => client.del(breakerKey(host)));
    if (old !== null) await connection.run((client) => client.set(breakerKey(host), old));
    expect(await one?.isValid({ generation: 0 })).toBe(false);
    expect(await other?.isValid({ generation: 0 })).toBe(false);
    expect(other?.state).toMatchObject({ kind: 'open', failures: 5 });
  });

  it('goes on when what is stored cannot be read', async () => {
    const host = newHost();
    const worker = await fleetWorker(url);
    await worker.connection.run((client) => client.set(breakerKey(host), '{"state":"?"}'));
    const breaker = worker.politeness.breaker(host, QUICK, { probe: async () => back });
    await open(breaker, worker);
    expect(breaker.state).toMatchObject({ kind: 'open' });
  });

  it('lets nobody through while Redis is away, and counts what failed meanwhile when it is back', async () => {
    const host = newHost();
    const said: RedisStatus[] = [];
    const worker = await fleetWorker(url, { onStatus: (status) => said.push(status) });
    const breaker = worker.politeness.breaker(host, defaultBreakerSettings, { probe: async () => back });
    const ticket = await breaker.waitUntilAllowed(never);
    await server?.kill();
    expect(await breaker.isValid(ticket)).toBe(false);
    expect(said).toMatchObject([{ kind: 'unreachable' }]);
    for (let failure = 0; failure < 5; failure++) breaker.record(ticket, 'down');
    await server?.start();
    await worker.politeness.idle();
    expect(breaker.state).toMatchObject({ kind: 'open' });
    expect(said.map(({ kind }) => kind)).toEqual(['unreachable', 'reachable']);
  });
});
