import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { type Random, seededRandom } from '../../platform/random.ts';
import type { RateSettings } from './limiter.ts';
import { TokenBucket } from './token-bucket.ts';

const never = new AbortController().signal;
const noChance: Random = { ...seededRandom(1), next: () => 0 };
const HOUR_MS = 3_600_000;

function setUp(settings: Partial<RateSettings> = {}, random: Random = noChance) {
  const clock = new FakeClock();
  const bucket = new TokenBucket(clock, random, { ratePerSecond: 1, burst: 1, jitter: 0, ...settings });
  const started = clock.now();
  const starts: number[] = [];
  const order: number[] = [];
  /** Asks for a token and notes when it came, in ms since the beginning. */
  const request = async (name = order.length, signal = never) => {
    const at = await bucket.take(signal);
    starts.push(at - started);
    order.push(name);
  };
  const requests = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => request(index)));
  return { clock, bucket, starts, order, request, requests };
}

describe('TokenBucket', () => {
  it('lets one request a second leave by default, however many callers wait', async () => {
    const { clock, starts, order, requests } = setUp();
    const all = requests(4);
    await clock.advance(HOUR_MS);
    await all;
    expect(starts).toEqual([0, 1_000, 2_000, 3_000]);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('measures the quiet from start to start, so that time spent on a request counts', async () => {
    const { clock, starts, request } = setUp();
    await request();
    await clock.advance(900);
    const second = request();
    await clock.advance(HOUR_MS);
    await second;
    await request();
    expect(starts).toEqual([0, 1_000, 900 + HOUR_MS]);
  });

  it('lets a burst leave after a quiet time, and no second one right behind it', async () => {
    const { clock, starts, requests } = setUp({ ratePerSecond: 5, burst: 3 });
    const all = requests(6);
    await clock.advance(HOUR_MS);
    await all;
    expect(starts).toEqual([0, 0, 0, 200, 400, 600]);
  });

  it.each([
    [0, 1_250],
    [0.5, 1_375],
    [1, 1_500],
  ])('adds jitter to the gap, half of it always and the rest by chance (%d)', async (chance, gap) => {
    const { clock, starts, requests } = setUp({ jitter: 0.5 }, { ...noChance, next: () => chance });
    const all = requests(3);
    await clock.advance(HOUR_MS);
    await all;
    expect(starts).toEqual([0, gap, 2 * gap]);
  });

  it('does not limit at all when the rate is off, but obeys a hold', async () => {
    const { clock, bucket, starts, requests } = setUp({ ratePerSecond: 'off' });
    await requests(100);
    bucket.holdUntil(clock.now() + 3_000);
    const held = requests(2);
    await clock.advance(HOUR_MS);
    await held;
    expect(starts).toEqual([...Array(100).fill(0), 3_000, 3_000]);
  });

  describe('crawl-delay', () => {
    it('slows it down, and forbids bursts', async () => {
      const { clock, bucket, starts, requests } = setUp({ ratePerSecond: 5, burst: 3 });
      bucket.setCrawlDelay(2_000);
      const all = requests(3);
      await clock.advance(HOUR_MS);
      await all;
      expect(starts).toEqual([0, 2_000, 4_000]);
      expect(bucket.intervalMs).toBe(2_000);
    });

    it('counts from the request before it was known', async () => {
      const { clock, bucket, starts, request } = setUp();
      await request();
      bucket.setCrawlDelay(5_000);
      const second = request();
      await clock.advance(HOUR_MS);
      await second;
      expect(starts).toEqual([0, 5_000]);
    });

    it('counts from when the request before it left, also where that had no pace to keep', async () => {
      const { clock, bucket, starts, request } = setUp({ ratePerSecond: 'off', jitter: 0.1 });
      const turn = await bucket.takeTurn(never);
      await clock.advance(700);
      turn.leave();
      bucket.setCrawlDelay(1_000);
      const next = request();
      await clock.advance(HOUR_MS);
      await next;
      // With the half of the jitter that is always added.
      expect(starts).toEqual([1_750]);
    });

    it('does not speed it up', async () => {
      const { clock, bucket, starts, requests } = setUp();
      bucket.setCrawlDelay(10);
      const all = requests(2);
      await clock.advance(HOUR_MS);
      await all;
      expect(starts).toEqual([0, 1_000]);
    });

    it('is the only pace when the rate is off', async () => {
      const { clock, bucket, starts, requests } = setUp({ ratePerSecond: 'off' });
      bucket.setCrawlDelay(700);
      const all = requests(3);
      await clock.advance(HOUR_MS);
      await all;
      expect(starts).toEqual([0, 700, 1_400]);
    });
  });

  describe('a hold', () => {
    it('stops callers that wait already', async () => {
      const { clock, bucket, starts, requests } = setUp();
      const all = requests(3);
      await clock.advance(500);
      bucket.holdUntil(clock.now() + 3_000);
      await clock.advance(HOUR_MS);
      await all;
      expect(starts).toEqual([0, 3_500, 4_500]);
    });

    it('is not shortened by an earlier one', async () => {
      const { clock, bucket, starts, request } = setUp();
      bucket.holdUntil(clock.now() + 9_000);
      bucket.holdUntil(clock.now() + 2_000);
      const first = request();
      await clock.advance(HOUR_MS);
      await first;
      expect(starts).toEqual([9_000]);
    });
  });

  describe('an aborted caller', () => {
    it.each([1, 2])('at place %d of the line leaves at once and spends nothing', async (place) => {
      const { clock, starts, order, request } = setUp();
      const impatient = new AbortController();
      await request(0);
      const line = [1, 2, 3].map((name) => request(name, name === place ? impatient.signal : never));
      const outcomes = Promise.allSettled(line);
      await clock.advance(100);
      impatient.abort(new Error('no time'));
      await expect(line[place - 1]).rejects.toThrow('no time');
      await clock.advance(HOUR_MS);
      await outcomes;
      expect(order).toEqual([0, 1, 2, 3].filter((name) => name !== place));
      expect(starts).toEqual([0, 1_000, 2_000]);
    });

    it('spends nothing when it is aborted in the moment its turn comes', async () => {
      const { starts, request } = setUp();
      const impatient = new AbortController();
      const first = request(0, impatient.signal);
      impatient.abort(new Error('no time'));
      await expect(first).rejects.toThrow('no time');
      await request(1);
      expect(starts).toEqual([0]);
    });

    it('leaves no timer behind', async () => {
      const { clock, request } = setUp();
      const impatient = new AbortController();
      await request();
      const second = request(1, impatient.signal);
      const refused = expect(second).rejects.toThrow('no time');
      await clock.advance(1);
      impatient.abort(new Error('no time'));
      await refused;
      expect(clock.waiting).toBe(0);
    });
  });

  it('does not burst after a restart', async () => {
    const before = setUp({ ratePerSecond: 1, burst: 2 });
    await before.requests(2);
    before.bucket.holdUntil(before.clock.now() + 700);
    const saved = JSON.parse(JSON.stringify(before.bucket.snapshot()));

    const after = setUp({ ratePerSecond: 1, burst: 2 });
    after.bucket.restore(saved, 1_000);
    const all = after.requests(2);
    await after.clock.advance(HOUR_MS);
    await all;
    expect(after.starts).toEqual([1_000, 2_000]);
  });

  it('goes on after a restart with a crawl-delay that became known after the last request', async () => {
    const before = setUp();
    await before.request();
    before.bucket.setCrawlDelay(20_000);
    const after = setUp();
    await after.clock.advance(5_000);
    await before.clock.advance(5_000);
    after.bucket.restore(before.bucket.snapshot(), 20_000);
    after.bucket.setCrawlDelay(20_000);
    const next = after.request();
    await after.clock.advance(HOUR_MS);
    await next;
    expect(after.starts).toEqual([20_000]);
  });

  it('keeps the gap of its own rate from the last request of a process that had none', async () => {
    const before = setUp({ ratePerSecond: 'off' });
    await before.request();
    const after = setUp({ ratePerSecond: 0.2 });
    await Promise.all([before.clock.advance(300), after.clock.advance(300)]);
    after.bucket.restore(before.bucket.snapshot(), 0);
    const next = after.request();
    await after.clock.advance(HOUR_MS);
    await next;
    expect(after.starts).toEqual([5_000]);
  });

  it('waits no longer than can be owed when a process with a clock that was ahead has saved', async () => {
    const { clock, bucket, starts, requests } = setUp({ burst: 2 });
    const ahead = clock.now() + 10 * HOUR_MS;
    bucket.restore({ startedAt: ahead, paidAt: ahead, heldUntil: 0 }, 1_500);
    const all = requests(1);
    await clock.advance(HOUR_MS);
    await all;
    expect(starts).toEqual([2_000]);
    bucket.restore({ startedAt: 0, paidAt: 0, heldUntil: clock.now() + 10 * HOUR_MS }, 1_500);
    const held = requests(1);
    await clock.advance(HOUR_MS);
    await held;
    expect(starts).toEqual([2_000, 2 * HOUR_MS]);
  });

  it('restores a hold, and never lets a restore make it faster', async () => {
    const { clock, bucket, starts, request } = setUp();
    bucket.restore({ paidAt: 0, heldUntil: clock.now() + 4_000 }, 0);
    bucket.restore(new TokenBucket(clock, noChance).snapshot(), 0);
    const first = request();
    await clock.advance(HOUR_MS);
    await first;
    expect(starts).toEqual([4_000]);
  });

  describe('a turn that is kept', () => {
    it('makes the next caller wait until the request has left, and a gap longer', async () => {
      const { clock, bucket, starts, request } = setUp();
      const turn = await bucket.takeTurn(never);
      const next = request();
      await clock.advance(5_000);
      expect(starts).toEqual([]);
      turn.leave();
      turn.giveBack();
      await clock.advance(HOUR_MS);
      await next;
      expect(starts).toEqual([6_000]);
    });

    it('costs nothing when it is given back', async () => {
      const { bucket, starts, request } = setUp();
      const turn = await bucket.takeTurn(never);
      const next = request();
      turn.giveBack();
      await next;
      expect(starts).toEqual([0]);
    });

    it('stops nobody where there is no pace', async () => {
      const { bucket, starts, requests } = setUp({ ratePerSecond: 'off' });
      await bucket.takeTurn(never);
      await requests(3);
      expect(starts).toEqual([0, 0, 0]);
    });
  });

  it('keeps gap, order and holds for any arrivals', async () => {
    const arrival = fc.record({
      afterMs: fc.integer({ min: 0, max: 1_500 }),
      holdMs: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined, freq: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(0.5, 1, 3, 5),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer(),
        async (arrivals, ratePerSecond, jitter, seed) => {
          const { clock, bucket, starts, order, request } = setUp({ ratePerSecond, jitter }, seededRandom(seed));
          const holds: { from: number; until: number }[] = [];
          const pending: Promise<void>[] = [];
          for (const [name, { afterMs, holdMs }] of arrivals.entries()) {
            await clock.advance(afterMs);
            const at = clock.monotonic();
            if (holdMs !== undefined) {
              bucket.holdUntil(clock.now() + holdMs);
              holds.push({ from: at, until: at + holdMs });
            }
            pending.push(request(name));
          }
          await clock.advance(HOUR_MS);
          await Promise.all(pending);

          expect(order).toEqual(arrivals.keys().toArray());
          const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
          expect(gaps.filter((gap) => gap < 1_000 / ratePerSecond)).toEqual([]);
          const broken = holds.filter(({ from, until }) => starts.some((start) => start > from && start < until));
          expect(broken).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never lets more than rate and burst into any second', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        async (arrivals, ratePerSecond, burst) => {
          const { clock, starts, request } = setUp({ ratePerSecond, burst });
          const pending: Promise<void>[] = [];
          for (const afterMs of arrivals) {
            await clock.advance(afterMs);
            pending.push(request());
          }
          await clock.advance(HOUR_MS);
          await Promise.all(pending);
          const fullest = Math.max(
            ...starts.map((from) => starts.filter((start) => start >= from && start < from + 1_000).length),
          );
          expect(fullest).toBeLessThanOrEqual(ratePerSecond + burst - 1);
        },
      ),
      { numRuns: 60 },
    );
  });
});
