// What a limiter on a data directory keeps beyond the contract that all limiters share (test/conformance/limiter.ts):
// processes with rates of their own, that die, and a clock that is set back.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NotedProcess, notedFleet, notesWith } from '../../../test/fixtures/noted-fleet.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { FakeClock } from '../../platform/fake-clock.ts';
import type { Limiter, Turn } from '../politeness/limiter.ts';
import { NotedPoliteness } from './noted-politeness.ts';
import { LEASE_MS } from './notes.ts';

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;
const HOST = 'court.example';

async function setUp(size = 3) {
  const clock = new FakeClock();
  const fleet = await notedFleet(size, { clock });
  const limiter = (process: NotedProcess | undefined, ratePerSecond: number | 'off' = 1): Limiter =>
    (process ?? expect.fail()).politeness.limiter(HOST, { ratePerSecond, burst: 1, jitter: 0 });
  const started = clock.monotonic();
  /** Leaves, and gives when, in ms since the beginning. */
  const leave = async (by: Limiter): Promise<number> => {
    (await by.takeTurn(never)).leave();
    return clock.monotonic() - started;
  };
  return { clock, fleet, limiter, leave };
}

type Passing = (real: () => string | undefined) => string | undefined;

/** The limiter of one more process, whose changes of notes go through `change`, and what it reads through `read`. */
function limiterOver(
  fleet: readonly NotedProcess[],
  clock: Clock,
  change: Passing,
  read: Passing = (real) => real(),
): Limiter {
  const { notes } = fleet[0]?.ledger ?? expect.fail();
  const over = notesWith(notes, {
    read: (name) => read(() => notes.read(name)),
    change: (name, decide) => change(() => notes.change(name, decide)),
  });
  const random = { next: () => 0, hex: () => 'one-more', uuid: () => 'one-more' };
  const politeness = new NotedPoliteness({ notes: over, clock, random, hosts: new Map() });
  return politeness.limiter(HOST, { ratePerSecond: 1, burst: 1, jitter: 0 });
}

describe('a limiter on a data directory', () => {
  it('lets every process go at the pace of the slowest, and each of them leave', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const [slow, quick] = [limiter(fleet[0], 0.1), limiter(fleet[1], 1)];
    const starts: [string, number][] = [];
    const work = async (name: string, by: Limiter) => {
      for (let request = 0; request < 3; request++) starts.push([name, await leave(by)]);
    };
    const all = Promise.all([work('slow', slow), work('quick', quick)]);
    await clock.advance(HOUR_MS);
    await all;
    expect(starts.map(([name]) => name)).toEqual(['slow', 'quick', 'slow', 'quick', 'slow', 'quick']);
    const gaps = starts.slice(1).map(([name, at], index) => [name, at - (starts[index]?.[1] ?? 0)] as const);
    for (const [name, gapMs] of gaps) expect(gapMs).toBeGreaterThanOrEqual(name === 'slow' ? 10_000 : 1_000);
    expect(starts.at(-1)?.[1]).toBeLessThan(25_000);
  });

  it('loses no time when processes take turns', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const work = fleet.map(async (process) => {
      const by = limiter(process);
      const starts: number[] = [];
      for (let request = 0; request < 3; request++) starts.push(await leave(by));
      return starts;
    });
    const all = Promise.all(work);
    await clock.advance(HOUR_MS);
    const starts = (await all).flat().toSorted((a, b) => a - b);
    expect(starts).toHaveLength(9);
    // A millisecond or two for each that it is told to another.
    for (const [index, at] of starts.entries()) {
      expect(at).toBeGreaterThanOrEqual(index * 1_000);
      expect(at).toBeLessThanOrEqual(index * 1_003);
    }
  });

  it('has a pace for each host', async () => {
    const { fleet, limiter, leave } = await setUp();
    await leave(limiter(fleet[0]));
    const elsewhere = fleet[1]?.politeness.limiter('other.example', { ratePerSecond: 1, burst: 1, jitter: 0 });
    expect(await leave(elsewhere ?? expect.fail())).toBe(0);
  });

  it.each([1, 'off'] as const)('hears of Retry-After from the others, at a rate of %s', async (rate) => {
    const { clock, fleet, limiter, leave } = await setUp();
    const [one, other] = [limiter(fleet[0], rate), limiter(fleet[1], rate)];
    one.holdUntil(clock.now() + 60_000);
    one.holdUntil(clock.now() + 10);
    expect(other.snapshot().heldUntil).toBe(clock.now() + 60_000);
    const next = leave(other);
    await clock.advance(HOUR_MS);
    expect(await next).toBe(60_000);
  });

  it('goes by crawl-delay, from the last request of anybody', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    await leave(limiter(fleet[0]));
    const other = limiter(fleet[1], 'off');
    other.setCrawlDelay(7_000);
    const next = leave(other);
    await clock.advance(HOUR_MS);
    // Told in whole milliseconds, and one more.
    expect(await next).toBe(7_001);
  });

  it('goes by a crawl-delay that came to be known after others had left without a pace', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const [one, other] = [limiter(fleet[0], 'off'), limiter(fleet[1], 'off')];
    await leave(one);
    one.setCrawlDelay(7_000);
    await clock.advance(1_000);
    other.setCrawlDelay(7_000);
    const next = leave(other);
    await clock.advance(HOUR_MS);
    expect(await next).toBe(7_001);
  });

  it('lets a caller who is aborted leave the line, and the turn', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    await leave(limiter(fleet[0]));
    const [slow, quick] = [limiter(fleet[1], 0.01), limiter(fleet[2])];
    const impatient = new AbortController();
    const refused = expect(slow.takeTurn(impatient.signal)).rejects.toThrow('no time');
    await clock.advance(500);
    const next = leave(quick);
    await clock.advance(400);
    impatient.abort(new Error('no time'));
    await refused;
    const note = JSON.parse(fleet[0]?.ledger.notes.read(`pace:${HOST}`) ?? '');
    expect(note).toMatchObject({ line: [{ until: clock.now() + 850 }] });
    await clock.advance(HOUR_MS);
    // He was told to come when the other would have left, and looks once a second.
    expect(await next).toBeLessThan(2_000);
    await expect(quick.takeTurn(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(await leave(slow)).toBe(900 + HOUR_MS);
  });

  it('does not take the turn from another when it gives up waiting for it', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const turn = await limiter(fleet[0]).takeTurn(never);
    const impatient = new AbortController();
    const refused = expect(limiter(fleet[1]).takeTurn(impatient.signal)).rejects.toThrow('no time');
    impatient.abort(new Error('no time'));
    await refused;
    const next = leave(limiter(fleet[2]));
    await clock.advance(2_000);
    turn.leave();
    await clock.advance(HOUR_MS);
    expect(await next).toBeGreaterThanOrEqual(3_000);
  });

  it('learns of what others have sent, also when it has told them something itself since', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const [one, other] = [limiter(fleet[0]), limiter(fleet[1])];
    await leave(one);
    await clock.advance(5_000);
    await leave(other);
    one.holdUntil(clock.now());
    const next = leave(one);
    await clock.advance(HOUR_MS);
    expect(await next).toBeGreaterThanOrEqual(6_000);
  });

  it('lets a turn end once', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const by = limiter(fleet[0]);
    const turn = await by.takeTurn(never);
    turn.leave();
    const second = leave(by);
    turn.giveBack();
    turn.leave();
    const third = leave(limiter(fleet[1]));
    await clock.advance(HOUR_MS);
    // Each is told to the other in whole milliseconds, and one more.
    expect([await second, await third].toSorted((a, b) => a - b)).toEqual([1_001, 2_002]);
  });

  it('gives the turn of a process that died with it to another, after its time and a gap', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    // It says nothing more, as if it had been killed: its clock stands still.
    const [dead] = await notedFleet(1, { clock: new FakeClock(), notes: fleet[0]?.ledger.notes ?? expect.fail() });
    await limiter(dead).takeTurn(never);
    const next = leave(limiter(fleet[1]));
    await clock.advance(HOUR_MS);
    expect(await next).toBeGreaterThanOrEqual(4_000);
    expect(await next).toBeLessThan(4_100);
  });

  it('lets nothing leave by a turn that another has had since', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    // It stands still, and so does its clock.
    const { notes } = fleet[0]?.ledger ?? expect.fail();
    const [stopped] = await notedFleet(1, { clock: new FakeClock(), notes });
    const turn = await limiter(stopped).takeTurn(never);
    const next = leave(limiter(fleet[1]));
    await clock.advance(10_000);
    await next;
    const noted = notes.read(`pace:${HOST}`);
    expect(turn.leave()).toBe(false);
    expect(notes.read(`pace:${HOST}`)).toBe(noted);
  });

  it('leaves by a turn that it has had for longer than it should, where nobody else wanted it', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const turn = await limiter(fleet[0]).takeTurn(never);
    await clock.advance(HOUR_MS);
    expect(turn.leave()).toBe(true);
    expect(turn.leave()).toBe(false);
    const next = leave(limiter(fleet[1]));
    await clock.advance(HOUR_MS);
    expect(await next).toBeGreaterThanOrEqual(HOUR_MS + 1_000);
  });

  it('passes over a process that died in the line', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    await leave(limiter(fleet[0]));
    const [dead] = await notedFleet(1, { clock: new FakeClock(), notes: fleet[0]?.ledger.notes ?? expect.fail() });
    void limiter(dead).takeTurn(never);
    const next = leave(limiter(fleet[1]));
    await clock.advance(HOUR_MS);
    expect(await next).toBeLessThan(2_500);
  });

  it('keeps the turn of a request that takes longer to leave than a dead process would be waited for', async () => {
    // In real time, for leases are.
    const [one, other] = (await notedFleet(2)).map(({ politeness }) =>
      politeness.limiter(HOST, { ratePerSecond: 20, burst: 1, jitter: 0 }),
    );
    const turn = await one?.takeTurn(never);
    const next = other?.takeTurn(never).then(() => systemClock.monotonic());
    await systemClock.sleep(LEASE_MS + 500);
    const leftAt = systemClock.monotonic();
    turn?.leave();
    expect(((await next) ?? 0) - leftAt).toBeGreaterThanOrEqual(50);
  });

  it('waits for nothing that is further ahead than it can be, for the clock was set back', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const ahead = clock.now() + 10 * HOUR_MS;
    const turn = { caller: 'gone', until: ahead };
    const pace = { startedAt: ahead, heldUntil: ahead, turn, line: [turn] };
    fleet[0]?.ledger.notes.change(`pace:${HOST}`, () => JSON.stringify(pace));
    const [paced, free] = [leave(limiter(fleet[0])), leave(limiter(fleet[1], 'off'))];
    await clock.advance(HOUR_MS);
    expect(await paced).toBeLessThan(1_100);
    expect(await free).toBe(0);
  });

  it.each(['{"startedAt":"?"}', 'nonsense', ''])('goes on when its note cannot be read: %j', async (note) => {
    const { fleet, limiter, leave } = await setUp();
    fleet[0]?.ledger.notes.change(`pace:${HOST}`, () => note);
    expect(await leave(limiter(fleet[1]))).toBe(0);
  });

  it('begins with what earlier processes left in the ledger', async () => {
    const { clock, fleet, leave } = await setUp();
    const rate = { startedAt: clock.now() - 400, paidAt: clock.now() + 600, heldUntil: 0 };
    const counts = { requests: 1, allowed: 1, disallowed: 0 };
    const breaker = { kind: 'closed', generation: 0, failures: 0 } as const;
    const hosts = new Map([[HOST, { rate, intervalMs: 1_000, counts, breaker }]]);
    const [process] = await notedFleet(1, { clock, hosts, notes: fleet[0]?.ledger.notes ?? expect.fail() });
    const next = leave((process ?? expect.fail()).politeness.limiter(HOST, { ratePerSecond: 1, burst: 1, jitter: 0 }));
    await clock.advance(HOUR_MS);
    expect(await next).toBe(600);
  });

  it('tells the next one of a ledger that could not be written when nobody waited for it, and then goes on', async () => {
    const { clock, fleet, leave } = await setUp();
    let isFull = false;
    const limiter = limiterOver(fleet, clock, (change) => {
      if (isFull) throw new Error('the disk is full');
      return change();
    });
    const turn = await limiter.takeTurn(never);
    isFull = true;
    expect(turn.leave()).toBe(true);
    await clock.advance(0);
    isFull = false;
    await expect(limiter.takeTurn(never)).rejects.toThrow('the disk is full');
    const next = leave(limiter);
    await clock.advance(HOUR_MS);
    // As after one that has died: nobody was told that the turn is over.
    expect(await next).toBeGreaterThanOrEqual(LEASE_MS);
  });

  it('lets nothing leave when the note cannot be read in that moment, and says why', async () => {
    const { clock, fleet, leave } = await setUp();
    let isBroken = false;
    const ifWhole = (work: () => string | undefined) => {
      if (isBroken) throw new Error('the disk is gone');
      return work();
    };
    const limiter = limiterOver(fleet, clock, ifWhole, ifWhole);
    const turn = await limiter.takeTurn(never);
    isBroken = true;
    expect(turn.leave()).toBe(false);
    isBroken = false;
    await expect(limiter.takeTurn(never)).rejects.toThrow('the disk is gone');
    const next = leave(limiter);
    await clock.advance(HOUR_MS);
    await next;
  });

  it('counts the gap from when a request leaves, however long the disk takes to note it', async () => {
    const { clock, fleet } = await setUp();
    let passedMs = 0;
    let isSlow = false;
    const moving: Clock = {
      now: () => clock.now() + passedMs,
      monotonic: () => clock.monotonic() + passedMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const limiter = limiterOver(fleet, moving, (change) => {
      const note = change();
      if (isSlow) passedMs += 400;
      return note;
    });
    const left: number[] = [];
    const work = async () => {
      for (let request = 0; request < 4; request++) {
        const turn = await limiter.takeTurn(never);
        isSlow = request === 0;
        if (turn.leave()) left.push(moving.monotonic());
        isSlow = false;
      }
    };
    const worked = work();
    await clock.advance(HOUR_MS);
    await worked;
    expect(left).toHaveLength(4);
    for (const [index, at] of left.slice(1).entries()) expect(at - (left[index] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('lets nothing leave that another was told to wait with since the turn was given', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    const by = limiter(fleet[0]);
    const turn = await by.takeTurn(never);
    expect(by.snapshot().heldUntil).toBe(0);
    // Not told through the limiter, which looks at the note now and then: in the very moment.
    limiter(fleet[1]).holdUntil(clock.now() + 60_000);
    expect(turn.leave()).toBe(false);
    const next = leave(by);
    await clock.advance(HOUR_MS);
    expect(await next).toBe(60_000);
  });

  it('looks often whether the turn is free, and writes seldom', async () => {
    const { clock, fleet, limiter, leave } = await setUp();
    let written = 0;
    const waiting = limiterOver(fleet, clock, (change) => {
      written++;
      return change();
    });
    const turn = await limiter(fleet[1]).takeTurn(never);
    const next = leave(waiting);
    await clock.advance(2_000);
    turn.leave();
    await clock.advance(HOUR_MS);
    expect(await next).toBeLessThan(3_050);
    expect(written).toBeLessThan(40);
  });

  it('keeps the gap of each after the last of all, whoever asks when, and whether he leaves or not', async () => {
    const clock = new FakeClock();
    const fleet = await notedFleet(3, { clock });
    let cases = 0;
    const request = fc.record({
      afterMs: fc.integer({ min: 0, max: 3_000 }),
      takesMs: fc.integer({ min: 0, max: LEASE_MS - 1 }),
      end: fc.constantFrom('leave', 'leave', 'leave', 'giveBack'),
    });
    const worker = fc.record({
      rate: fc.constantFrom(0.5, 1, 2, 10),
      requests: fc.array(request, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(worker, { minLength: 1, maxLength: 3 }), async (workers) => {
        const host = `court-${++cases}.example`;
        const left: { at: number; gapMs: number }[] = [];
        const work = workers.map(async ({ rate, requests }, index) => {
          const politeness = fleet[index]?.politeness ?? expect.fail();
          const limiter = politeness.limiter(host, { ratePerSecond: rate, burst: 1, jitter: 0 });
          for (const { afterMs, takesMs, end } of requests) {
            await clock.sleep(afterMs);
            const turn: Turn = await limiter.takeTurn(never);
            await clock.sleep(takesMs);
            if (end === 'leave') left.push({ at: clock.monotonic(), gapMs: 1_000 / rate });
            turn[end]();
          }
        });
        const ended = Promise.all(work);
        await clock.advance(200_000);
        await ended;
        for (const [index, { at, gapMs }] of left.entries()) {
          const before = left[index - 1];
          if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(gapMs);
        }
      }),
      { numRuns: 50 },
    );
  });
});
