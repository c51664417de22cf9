// What every circuit breaker keeps, whoever shares it. In real time with short delays: what is asserted is that nothing
// comes too early, never that it comes in time.

import { describe, expect, it } from 'vitest';
import type { Breaker } from '../../src/fetch/politeness/breaker.ts';
import type { BreakerSettings, BreakerState, HostSign, ProbeResult } from '../../src/fetch/politeness/breaker-state.ts';
import { systemClock } from '../../src/platform/clock.ts';

interface BreakerFleet {
  /** The breaker of the one host, as one more worker has it. */
  worker(): Breaker;
  /** Resolves when what one worker has recorded is known to all. */
  told(): Promise<void>;
}

export type OpenBreakers = (
  settings: BreakerSettings,
  probe: (signal: AbortSignal) => Promise<ProbeResult>,
) => Promise<BreakerFleet>;

const never = new AbortController().signal;
const SETTINGS: BreakerSettings = { failureThreshold: 5, initialDelayMs: 200, maxDelayMs: 700, multiplier: 2 };
const back: ProbeResult = { kind: 'answer', status: 405 };
const away: ProbeResult = { kind: 'no_answer', reason: 'refused' };

export function itIsABreaker(name: string, open: OpenBreakers): void {
  async function setUp(answer: (signal: AbortSignal) => ProbeResult | Promise<ProbeResult> = () => back) {
    const probes: number[] = [];
    const fleet = await open(SETTINGS, async (signal) => {
      probes.push(systemClock.monotonic());
      return answer(signal);
    });
    const workers = Array.from({ length: 5 }, () => fleet.worker());
    /** Each time another worker sends a request. */
    const record = async (...signs: HostSign[]) => {
      for (const [index, sign] of signs.entries()) {
        const worker = workers[index % workers.length] ?? expect.fail();
        worker.record(await worker.waitUntilAllowed(never), sign);
        await fleet.told();
      }
    };
    const enter = () => Promise.all(workers.map((worker) => worker.waitUntilAllowed(never)));
    const areValid = async (ticket: { readonly generation: number }) =>
      new Set(await Promise.all(workers.map((worker) => worker.isValid(ticket))));
    return { workers, probes, record, enter, areValid, told: () => fleet.told() };
  }
  const FIVE: HostSign[] = Array(5).fill('down');

  describe(`${name}: a breaker`, () => {
    it('lets everybody through while it is closed', async () => {
      const { enter, areValid, workers } = await setUp();
      const [ticket] = await enter();
      expect(await areValid(ticket ?? expect.fail())).toEqual(new Set([true]));
      expect(workers[0]?.state).toMatchObject({ kind: 'closed', failures: 0 });
    });

    it('opens for all after five failures in a row, whoever had them', async () => {
      const { enter, record, areValid } = await setUp();
      const [ticket] = await enter();
      await record(...FIVE.slice(1));
      expect(await areValid(ticket ?? expect.fail())).toEqual(new Set([true]));
      await record('down');
      expect(await areValid(ticket ?? expect.fail())).toEqual(new Set([false]));
    });

    it('counts anew after an answer, and not what says nothing', async () => {
      const { enter, record, areValid } = await setUp();
      const [ticket] = await enter();
      await record('down', 'down', 'neutral', 'down', 'down', 'up', 'down', 'down', 'neutral', 'down', 'down');
      expect(await areValid(ticket ?? expect.fail())).toEqual(new Set([true]));
    });

    it('probes once for everybody when its time has come, and an answer below 500 closes it for all', async () => {
      const { workers, probes, record, enter, areValid } = await setUp();
      const before = systemClock.monotonic();
      await record(...FIVE);
      const tickets = await enter();
      expect(probes).toHaveLength(1);
      // Timers may fire a millisecond early.
      expect((probes[0] ?? 0) - before).toBeGreaterThanOrEqual(SETTINGS.initialDelayMs - 1);
      expect(await areValid(tickets[0] ?? expect.fail())).toEqual(new Set([true]));
      expect(workers.map(({ state }) => state.kind)).toEqual(Array<BreakerState['kind']>(5).fill('closed'));
    });

    it.each([404, 405, 501])('is closed by a probe that is answered with %d', async (status) => {
      const { workers, probes, record, enter } = await setUp(() => ({ kind: 'answer', status }));
      await record(...FIVE);
      await enter();
      expect(probes).toHaveLength(1);
      expect(workers[0]?.state).toMatchObject({ kind: 'closed', failures: 0 });
    });

    it('probes ever more rarely while the host is away, up to a limit', async () => {
      const answers = [away, { kind: 'answer', status: 503 } as const, away, away];
      const { probes, record, enter } = await setUp(() => answers.shift() ?? back);
      await record(...FIVE);
      await enter();
      const gaps = probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
      expect(gaps).toHaveLength(4);
      for (const [index, atLeast] of [400, 700, 700, 700].entries())
        expect(gaps[index]).toBeGreaterThanOrEqual(atLeast - 1);
    });

    it('is not moved by late results of requests that left before it opened', async () => {
      const { workers, record, enter, told } = await setUp();
      const [early] = await enter();
      await record(...FIVE);
      const late = async (sign: HostSign) => {
        for (const worker of workers) worker.record(early ?? expect.fail(), sign);
        await told();
      };
      await late('up');
      expect((await enter())[0]?.generation).toBe((early?.generation ?? 0) + 1);
      await late('down');
      expect(workers[0]?.state).toMatchObject({ kind: 'closed', failures: 0 });
    });

    it('frees an aborted caller, and another makes the probe that was his', async () => {
      let underWay = 0;
      let begun = () => {};
      const isUnderWay = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const { workers, probes, record } = await setUp(async (signal) => {
        expect(++underWay).toBe(1);
        begun();
        try {
          if (probes.length === 1) await systemClock.sleep(60_000, signal);
          return back;
        } finally {
          underWay--;
        }
      });
      await record(...FIVE);
      const impatient = new AbortController();
      const refused = expect(workers[0]?.waitUntilAllowed(impatient.signal)).rejects.toThrow('no time');
      await isUnderWay;
      impatient.abort(new Error('no time'));
      await refused;
      await workers[1]?.waitUntilAllowed(never);
      expect(probes).toHaveLength(2);
    });
  });
}
