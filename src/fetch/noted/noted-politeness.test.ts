// What processes on one data directory keep of breaker and robots.txt beyond the contracts that all share
// (test/conformance): one of them dies, or the ledger cannot be written.

import { describe, expect, it } from 'vitest';
import { notedFleet, notesWith } from '../../../test/fixtures/noted-fleet.ts';
import type { Clock } from '../../platform/clock.ts';
import { FakeClock } from '../../platform/fake-clock.ts';
import { seededRandom } from '../../platform/random.ts';
import { type BreakerSettings, defaultBreakerSettings, type ProbeResult } from '../politeness/breaker-state.ts';
import { RobotsPolicy } from '../robots/robots-policy.ts';
import { NotedPoliteness } from './noted-politeness.ts';
import { LEASE_MS, type Notes } from './notes.ts';

const never = new AbortController().signal;
const HOST = 'court.example';
const ORIGIN = `https://${HOST}`;
const MINUTE_MS = 60_000;
const back: ProbeResult = { kind: 'answer', status: 200 };
const found = { kind: 'found', text: 'User-agent: *\nDisallow: /x', fetchedAt: 0, reason: 'HTTP 200' } as const;

async function setUp() {
  const clock = new FakeClock();
  const [one, other] = await notedFleet(2, { clock });
  return { clock, one: one ?? expect.fail(), other: other ?? expect.fail() };
}

/** Opens the breaker of a host by five failures, and gives it. */
async function opened(politeness: NotedPoliteness, probe: (signal: AbortSignal) => Promise<ProbeResult>) {
  const settings: BreakerSettings = defaultBreakerSettings;
  const breaker = politeness.breaker(HOST, settings, { probe });
  const ticket = await breaker.waitUntilAllowed(never);
  for (let failure = 0; failure < 5; failure++) breaker.record(ticket, 'down');
  await expect.poll(() => breaker.state.kind).toBe('open');
  return breaker;
}

describe('the breaker of processes on one data directory', () => {
  it('has the probe of one that died made by another', async () => {
    const { clock, one, other } = await setUp();
    let probes = 0;
    const dying = await opened(one.politeness, () => {
      probes++;
      return new Promise(() => {});
    });
    void dying.waitUntilAllowed(never);
    await clock.advance(30_000);
    expect(probes).toBe(1);
    // Its clock stands still from now on: it says nothing more.
    const later = new FakeClock(clock.now());
    const heir = new NotedPoliteness({
      notes: other.ledger.notes,
      clock: later,
      random: seededRandom(1),
      hosts: new Map(),
    });
    const living = heir.breaker(HOST, defaultBreakerSettings, {
      probe: async () => {
        probes++;
        return back;
      },
    });
    const allowed = living.waitUntilAllowed(never);
    await later.advance(LEASE_MS - 1);
    expect(probes).toBe(1);
    await later.advance(MINUTE_MS);
    await allowed;
    expect([probes, living.state.kind]).toEqual([2, 'closed']);
  });

  it('is probed when the clock was set back since one who probed has died', async () => {
    const { clock, one, other } = await setUp();
    const dying = await opened(one.politeness, () => new Promise(() => {}));
    void dying.waitUntilAllowed(never);
    await clock.advance(30_000);
    expect(dying.state.kind).toBe('half_open');
    const earlier = new FakeClock(clock.now() - 60 * MINUTE_MS);
    const { notes } = other.ledger;
    const heir = new NotedPoliteness({ notes, clock: earlier, random: seededRandom(1), hosts: new Map() });
    const allowed = heir.breaker(HOST, defaultBreakerSettings, { probe: async () => back }).waitUntilAllowed(never);
    await earlier.advance(MINUTE_MS);
    await allowed;
  });

  it('is not probed by one whose claim was over when it was noted', async () => {
    const { clock, one, other } = await setUp();
    await opened(one.politeness, async () => back);
    let passedMs = 0;
    const moving: Clock = {
      now: () => clock.now() + passedMs,
      monotonic: () => clock.monotonic() + passedMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const { notes } = other.ledger;
    let waits = 1;
    // Another holds the lock for longer than a claim lasts.
    const late = notesWith(notes, {
      change: (name, decide) => {
        if (waits-- > 0) passedMs += LEASE_MS + 1_000;
        return notes.change(name, decide);
      },
    });
    const probedAt: number[] = [];
    const politeness = new NotedPoliteness({ notes: late, clock: moving, random: seededRandom(1), hosts: new Map() });
    const breaker = politeness.breaker(HOST, defaultBreakerSettings, {
      probe: async () => {
        const { prober } = JSON.parse(notes.read(`breaker:${HOST}`) ?? '');
        probedAt.push(prober.until - moving.now());
        return back;
      },
    });
    const allowed = breaker.waitUntilAllowed(never);
    await clock.advance(2 * MINUTE_MS);
    await allowed;
    expect(probedAt).toEqual([LEASE_MS]);
  });

  it('begins with what earlier ones left in the ledger, where nothing is noted', async () => {
    const { clock, one } = await setUp();
    const rate = { startedAt: 0, paidAt: 0, heldUntil: 0 };
    const open = { kind: 'open', generation: 3, failures: 5, delayMs: 30_000, probeAt: clock.now() + 20_000 } as const;
    const counts = { requests: 5, allowed: 5, disallowed: 0 };
    const hosts = new Map([[HOST, { breaker: open, rate, intervalMs: 0, counts }]]);
    const { notes } = one.ledger;
    const politeness = new NotedPoliteness({ notes, clock, random: seededRandom(1), hosts });
    let probedAt = 0;
    const breaker = politeness.breaker(HOST, defaultBreakerSettings, {
      probe: async () => {
        probedAt = clock.now();
        return back;
      },
    });
    const allowed = breaker.waitUntilAllowed(never);
    await clock.advance(MINUTE_MS);
    expect(await allowed).toEqual({ generation: 3 });
    expect(probedAt).toBe(open.probeAt);
  });

  it('lets nobody through when the ledger cannot be written, and says why', async () => {
    const { clock, one } = await setUp();
    const { notes } = one.ledger;
    const full = notesWith(notes, {
      change: () => {
        throw new Error('the disk is full');
      },
    });
    const politeness = new NotedPoliteness({ notes: full, clock, random: seededRandom(1), hosts: new Map() });
    const breaker = politeness.breaker(HOST, defaultBreakerSettings, { probe: async () => back });
    const ticket = await breaker.waitUntilAllowed(never);
    breaker.record(ticket, 'down');
    await expect.poll(() => breaker.isValid(ticket)).toBe(false);
    await expect(breaker.waitUntilAllowed(never)).rejects.toThrow('the disk is full');
  });
});

describe('robots.txt of processes on one data directory', () => {
  it('is read by each as soon as one of them has it', async () => {
    const { one, other } = await setUp();
    expect(await other.politeness.robots.get(ORIGIN)).toBeUndefined();
    await one.politeness.robots.set(ORIGIN, found);
    expect(await other.politeness.robots.get(ORIGIN)).toEqual(found);
    expect((await one.ledger.robotsRecords()).get(ORIGIN)).toEqual(found);
  });

  it('is asked for by one of two who claim it in the same moment', async () => {
    const { clock, one, other } = await setUp();
    let passedMs = 0;
    const moving: Clock = {
      now: () => clock.now() + passedMs,
      monotonic: () => clock.monotonic() + passedMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const asked: string[] = [];
    const ask = (name: string, notes: Notes) => {
      const random = { ...seededRandom(1), hex: () => name };
      const { robots } = new NotedPoliteness({ notes, clock: moving, random, hosts: new Map() });
      return robots.alone(ORIGIN, never, async () => {
        asked.push(name);
        await clock.sleep(1_000);
      });
    };
    const { notes } = other.ledger;
    const outrun = notesWith(notes, {
      change: (name, decide) => {
        if (passedMs === 0) {
          passedMs = 5;
          void ask('quick', one.ledger.notes);
        }
        return notes.change(name, decide);
      },
    });
    const slow = ask('slow', outrun);
    await clock.advance(500);
    expect(asked).toEqual(['quick']);
    await clock.advance(MINUTE_MS);
    await slow;
    expect(asked).toEqual(['quick', 'slow']);
  });

  it('is what another has found meanwhile, where the one who asked first stood still and then failed', async () => {
    const { clock, one, other } = await setUp();
    const retry = { attempts: 1, baseDelayMs: 0, jitter: 0 };
    const policy = new RobotsPolicy({
      clock,
      random: seededRandom(1),
      settings: { retry },
      store: one.politeness.robots,
      getRobots: async () => {
        // It was taken for dead, and the other has asked.
        await other.politeness.robots.set(ORIGIN, { ...found, fetchedAt: clock.now() });
        return { kind: 'unreachable', reason: 'connection reset' };
      },
    });
    expect(await policy.check(new URL('/x', ORIGIN), never)).toMatchObject({ kind: 'disallowed' });
    expect((await one.ledger.robotsRecords()).get(ORIGIN)).toMatchObject({ kind: 'found', text: found.text });
  });

  it('is asked for by another when the one who did has died', async () => {
    const { clock, one, other } = await setUp();
    const dead = new NotedPoliteness({
      notes: one.ledger.notes,
      clock,
      random: { ...seededRandom(1), hex: () => 'dead' },
      hosts: new Map(),
    });
    const begun = clock.now();
    void dead.robots.alone(ORIGIN, never, () => new Promise(() => {}));
    const asked = other.politeness.robots.alone(ORIGIN, never, async () => clock.now() - begun);
    await clock.advance(MINUTE_MS);
    expect(await asked).toBeGreaterThanOrEqual(LEASE_MS);
  });

  it('is asked for at once when the one who did has been refused', async () => {
    const { one, other } = await setUp();
    const refused = one.politeness.robots.alone(ORIGIN, never, async () => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await other.politeness.robots.alone(ORIGIN, never, async () => 'asked')).toBe('asked');
  });
});
