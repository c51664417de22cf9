// What every limiter keeps, whoever shares it. In real time, for Redis has a clock of its own: what is asserted is that
// nothing comes too early, never that it comes in time. A request's moment is taken between being let go and having left,
// so a gap between two moments is never longer than the true one.

import { describe, expect, it } from 'vitest';
import type { Limiter, RateSettings } from '../../src/fetch/politeness/limiter.ts';
import { systemClock } from '../../src/platform/clock.ts';

export interface LimiterFleet {
  /** The limiter of the one host, as one more worker has it. */
  worker(): Limiter;
  /** Resolves when what one worker has learnt is known to all. */
  told(): Promise<void>;
}

const never = new AbortController().signal;
/** Longer than any test may take. */
const ONCE_A_MINUTE = 1 / 60;

export function itIsALimiter(name: string, open: (settings: RateSettings) => Promise<LimiterFleet>): void {
  const fleetAt = (ratePerSecond: RateSettings['ratePerSecond']) => open({ ratePerSecond, burst: 1, jitter: 0 });
  const leave = async (limiter: Limiter): Promise<number> => {
    const turn = await limiter.takeTurn(never);
    const at = systemClock.monotonic();
    turn.leave();
    return at;
  };

  describe(`${name}: a limiter`, () => {
    it('keeps the gap between any two requests, whichever workers make them', async () => {
      const fleet = await fleetAt(50);
      const starts: number[] = [];
      const work = async () => {
        const limiter = fleet.worker();
        for (let request = 0; request < 6; request++) starts.push(await leave(limiter));
      };
      await Promise.all([work(), work(), work(), work()]);
      const sorted = starts.toSorted((a, b) => a - b);
      const gaps = sorted.slice(1).map((at, index) => at - (sorted[index] ?? 0));
      expect(gaps).toHaveLength(23);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20);
    });

    it('lets no worker go hungry', async () => {
      const fleet = await fleetAt(40);
      const order: number[] = [];
      const work = async (worker: number) => {
        const limiter = fleet.worker();
        for (let request = 0; request < 10; request++) {
          await leave(limiter);
          order.push(worker);
        }
      };
      await Promise.all([work(0), work(1), work(2)]);
      const early = order.slice(0, 15);
      for (const worker of [0, 1, 2]) expect(early.filter((who) => who === worker).length).toBeGreaterThanOrEqual(4);
    });

    it('lets the next one leave only when the last one has', async () => {
      const fleet = await fleetAt(20);
      const turn = await fleet.worker().takeTurn(never);
      let left = false;
      const next = leave(fleet.worker()).then((at) => {
        left = true;
        return at;
      });
      await systemClock.sleep(300);
      expect(left).toBe(false);
      const leftAt = systemClock.monotonic();
      turn.leave();
      expect((await next) - leftAt).toBeGreaterThanOrEqual(50);
    });

    it('takes nothing for a turn that is given back', async () => {
      const fleet = await fleetAt(ONCE_A_MINUTE);
      (await fleet.worker().takeTurn(never)).giveBack();
      await leave(fleet.worker());
    });

    it('lets an aborted caller go, and takes nothing from him', async () => {
      const fleet = await fleetAt(ONCE_A_MINUTE);
      const turn = await fleet.worker().takeTurn(never);
      const impatient = new AbortController();
      const refused = expect(fleet.worker().takeTurn(impatient.signal)).rejects.toThrow('no time');
      const next = leave(fleet.worker());
      impatient.abort(new Error('no time'));
      await refused;
      turn.giveBack();
      await next;
    });

    it('lets nobody leave who was aborted before', async () => {
      const fleet = await fleetAt(ONCE_A_MINUTE);
      const aborted = AbortSignal.abort(new Error('no time'));
      await expect(fleet.worker().takeTurn(aborted)).rejects.toThrow('no time');
      await leave(fleet.worker());
    });

    it.each([50, 'off'] as const)('stops everybody at once for Retry-After, at a rate of %s', async (rate) => {
      const fleet = await fleetAt(rate);
      const workers = [fleet.worker(), fleet.worker(), fleet.worker()];
      for (const worker of workers) await leave(worker);
      const heldUntil = systemClock.monotonic() + 500;
      workers[0]?.holdUntil(systemClock.now() + 500);
      workers[0]?.holdUntil(systemClock.now() + 100);
      await fleet.told();
      const starts = await Promise.all([...workers, ...workers].map(leave));
      // Wall and monotonic time are read one after the other.
      expect(Math.min(...starts)).toBeGreaterThanOrEqual(heldUntil - 2);
    });

    it('stops those for Retry-After who wait already', async () => {
      const fleet = await fleetAt(5);
      const [one, other] = [fleet.worker(), fleet.worker()];
      await leave(one);
      const waiting = leave(other);
      const heldUntil = systemClock.monotonic() + 600;
      one.holdUntil(systemClock.now() + 600);
      expect(await waiting).toBeGreaterThanOrEqual(heldUntil - 2);
    });

    it('goes by crawl-delay, from the last request of anybody, where that is slower', async () => {
      const fleet = await fleetAt(100);
      const first = await leave(fleet.worker());
      const worker = fleet.worker();
      worker.setCrawlDelay(300);
      expect(worker.intervalMs).toBe(300);
      const second = await leave(worker);
      expect(second - first).toBeGreaterThanOrEqual(300);
      expect((await leave(worker)) - second).toBeGreaterThanOrEqual(300);
    });

    it('does not go by crawl-delay where that is faster', async () => {
      const fleet = await fleetAt(10);
      const worker = fleet.worker();
      worker.setCrawlDelay(1);
      const first = await leave(worker);
      expect((await leave(worker)) - first).toBeGreaterThanOrEqual(100);
    });

    it('has no pace but crawl-delay when it is off', async () => {
      const fleet = await fleetAt('off');
      const [one, other] = [fleet.worker(), fleet.worker()];
      // Nobody ends his turn, and nobody waits for that.
      await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : other).takeTurn(never)));
      expect(one.intervalMs).toBe(0);
      one.setCrawlDelay(200);
      const first = await leave(one);
      expect((await leave(one)) - first).toBeGreaterThanOrEqual(200);
    });
  });
}
