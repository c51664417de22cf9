import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { type BreakerSettings, type BreakerState, closedBreaker, type ProbeResult } from './breaker-state.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

const never = new AbortController().signal;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function setUp(
  answer: (signal: AbortSignal) => ProbeResult | Promise<ProbeResult>,
  saved?: BreakerState,
  settings?: BreakerSettings,
) {
  const clock = new FakeClock();
  const begun = clock.now();
  const probes: number[] = [];
  const states: BreakerState['kind'][] = [];
  const decided: (readonly [from: BreakerState, to: BreakerState])[] = [];
  const breaker = new CircuitBreaker({
    clock,
    probe: async (signal) => {
      probes.push(clock.now() - begun);
      return answer(signal);
    },
    onChange: ({ kind }) => {
      if (states.at(-1) !== kind) states.push(kind);
    },
    onDecided: (from, to) => decided.push([from, to]),
    ...(saved === undefined ? {} : { state: saved }),
    ...(settings === undefined ? {} : { settings }),
  });
  const fail = async (times: number) => {
    const ticket = await breaker.waitUntilAllowed(never);
    for (let time = 0; time < times; time++) breaker.record(ticket, 'down');
    return ticket;
  };
  return { clock, breaker, probes, states, decided, fail };
}

const back = { kind: 'answer', status: 405 } as const;
const away = { kind: 'no_answer', reason: 'refused' } as const;

describe('CircuitBreaker', () => {
  it('lets callers through at once while closed', async () => {
    const { breaker } = setUp(() => back);
    expect(await breaker.waitUntilAllowed(never)).toEqual({ generation: 0 });
  });

  it('turns away who was aborted before asking, closed or not', async () => {
    const { breaker } = setUp(() => back);
    await expect(breaker.waitUntilAllowed(AbortSignal.abort(new Error('no time')))).rejects.toThrow('no time');
  });

  it('goes by other settings when told to', async () => {
    const settings = { failureThreshold: 2, initialDelayMs: 1_000, maxDelayMs: 3_000, multiplier: 5 };
    const { clock, breaker, probes, fail } = setUp(() => (probes.length < 3 ? away : back), undefined, settings);
    await fail(2);
    const waiting = breaker.waitUntilAllowed(never);
    await clock.advance(MINUTE_MS);
    await waiting;
    expect(probes).toEqual([1_000, 4_000, 7_000]);
  });

  it('tells of every change once, from what to what, and of nothing else', async () => {
    const { breaker, decided, fail } = setUp(() => back);
    const ticket = await fail(1);
    breaker.record(ticket, 'neutral');
    expect(decided).toEqual([[closedBreaker, { ...closedBreaker, failures: 1 }]]);
  });

  it('makes callers wait while open, probes once for all, and lets all go on', async () => {
    const { clock, breaker, probes, states, fail } = setUp(() => back);
    const ticket = await fail(5);
    expect(breaker.isValid(ticket)).toBe(false);
    const waiting = Array.from({ length: 10 }, () => breaker.waitUntilAllowed(never));
    await clock.advance(29_999);
    expect(probes).toEqual([]);
    await clock.advance(1);
    const tickets = await Promise.all(waiting);
    expect(probes).toEqual([30_000]);
    expect(tickets.every((ticket) => breaker.isValid(ticket))).toBe(true);
    expect(states).toEqual(['closed', 'open', 'half_open', 'closed']);
  });

  it('is not moved by late results of requests that left before it opened', async () => {
    const { clock, breaker, probes, fail } = setUp(() => (probes.length < 2 ? away : back));
    const early = await fail(5);
    breaker.record(early, 'up');
    expect(breaker.state.kind).toBe('open');
    const waiting = breaker.waitUntilAllowed(never);
    await clock.advance(30_000);
    for (let time = 0; time < 5; time++) breaker.record(early, 'down');
    expect(breaker.state).toMatchObject({ kind: 'open', delayMs: 60_000 });
    await clock.advance(60_000);
    await waiting;
    for (let time = 0; time < 5; time++) breaker.record(early, 'down');
    expect(breaker.state).toEqual({ kind: 'closed', generation: 1, failures: 0 });
    expect(breaker.isValid(early)).toBe(false);
  });

  it('frees an aborted caller and goes on for the others', async () => {
    const { clock, breaker, probes, fail } = setUp(() => back);
    await fail(5);
    const impatient = new AbortController();
    const first = breaker.waitUntilAllowed(impatient.signal);
    const second = breaker.waitUntilAllowed(never);
    impatient.abort(new Error('no time'));
    await expect(first).rejects.toThrow('no time');
    await clock.advance(30_000);
    await second;
    expect(probes).toEqual([30_000]);
  });

  it('does not probe when nobody waits, and leaves no timer', async () => {
    const { clock, breaker, probes, fail } = setUp(() => back);
    await fail(5);
    const impatient = new AbortController();
    const refused = expect(breaker.waitUntilAllowed(impatient.signal)).rejects.toThrow('no time');
    impatient.abort(new Error('no time'));
    await refused;
    expect(clock.waiting).toBe(0);
    await clock.advance(HOUR_MS);
    expect(probes).toEqual([]);
    await breaker.waitUntilAllowed(never);
    expect(probes).toEqual([HOUR_MS]);
  });

  it('counts a probe that was cut off as none, and never has two under way', async () => {
    let underWay = 0;
    const { clock, breaker, probes, fail } = setUp(async (signal) => {
      expect(++underWay).toBe(1);
      try {
        await clock.sleep(10_000, signal);
        return back;
      } finally {
        await Promise.resolve();
        underWay--;
      }
    });
    await fail(5);
    const impatient = new AbortController();
    const refused = expect(breaker.waitUntilAllowed(impatient.signal)).rejects.toThrow('no time');
    await clock.advance(35_000);
    expect(breaker.state.kind).toBe('half_open');
    impatient.abort(new Error('no time'));
    await refused;
    const next = breaker.waitUntilAllowed(never);
    await clock.advance(10_000);
    await next;
    expect(probes).toEqual([30_000, 35_000]);
  });

  it('hands on what a probe throws and stays open for longer', async () => {
    const { clock, breaker, fail } = setUp(() => {
      throw new Error('bug in the probe');
    });
    await fail(5);
    const refused = expect(breaker.waitUntilAllowed(never)).rejects.toThrow('bug in the probe');
    await clock.advance(30_000);
    await refused;
    expect(breaker.state).toMatchObject({ kind: 'open', delayMs: 60_000 });
  });

  it('goes on after a restart where it was', async () => {
    const before = setUp(() => away);
    await before.fail(5);
    const saved = JSON.parse(JSON.stringify(before.breaker.state));

    const after = setUp(() => back, saved);
    const waiting = after.breaker.waitUntilAllowed(never);
    await after.clock.advance(29_999);
    expect(after.probes).toEqual([]);
    await after.clock.advance(1);
    await waiting;
    expect(after.probes).toEqual([30_000]);
  });

  it('survives an outage of two hours: probes after 30 s, 1, 2, 4, 5, 5 … min, every page fetched once, none lost', async () => {
    const outageEnds = 2 * HOUR_MS;
    const isUp = () => clock.monotonic() >= outageEnds;
    const { clock, breaker, probes, states } = setUp(() => (isUp() ? back : away));
    const queue = Array.from({ length: 50 }, (_, page) => page);
    const fetched: number[] = [];
    let failures = 0;

    const work = async () => {
      for (let page = queue.shift(); page !== undefined; page = queue.shift()) {
        const ticket = await breaker.waitUntilAllowed(never);
        await clock.sleep(100);
        breaker.record(ticket, isUp() ? 'up' : 'down');
        if (isUp()) {
          fetched.push(page);
        } else {
          failures++;
          queue.push(page);
        }
      }
    };
    const workers = Promise.all([work(), work(), work()]);
    await clock.advance(3 * HOUR_MS);
    await workers;

    const opened = 200;
    expect(probes[0]).toBe(opened + 30_000);
    const gaps = probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
    const minutes = gaps.map((gap) => gap / MINUTE_MS);
    expect(minutes).toEqual([1, 2, 4, ...Array(gaps.length - 3).fill(5)]);
    const lastProbe = probes.at(-1);
    expect(lastProbe).toBeGreaterThanOrEqual(outageEnds);
    expect(lastProbe).toBeLessThan(outageEnds + 5 * MINUTE_MS);
    // Five that opened it, and two that were on their way.
    expect(failures).toBe(7);
    expect(fetched.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, page) => page));
    expect(states.at(-1)).toBe('closed');
  });
});
