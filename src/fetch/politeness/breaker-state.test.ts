import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BreakerState,
  closedBreaker,
  defaultBreakerSettings,
  type HostSign,
  onProbeAbandoned,
  onProbeDue,
  onProbeResult,
  onRestart,
  onResult,
  signOfStatus,
} from './breaker-state.ts';

const NOW = Date.UTC(2026, 0, 1);
const down = { kind: 'no_answer', reason: 'refused' } as const;
const open: BreakerState = { kind: 'open', generation: 1, failures: 5, delayMs: 30_000, probeAt: NOW + 30_000 };
const halfOpen: BreakerState = { kind: 'half_open', generation: 1, failures: 5, delayMs: 30_000 };

const stateAfter = (signs: readonly HostSign[], state: BreakerState = closedBreaker) =>
  signs.reduce((state, sign) => onResult(state, { generation: state.generation, sign }, NOW), state);

describe('a closed breaker', () => {
  it('opens for 30 s after five failures in a row', () => {
    expect(stateAfter(['down', 'down', 'down', 'down'])).toEqual({ kind: 'closed', generation: 0, failures: 4 });
    expect(stateAfter(['down', 'down', 'down', 'down', 'down'])).toEqual(open);
  });

  it('starts to count again after any answer', () => {
    expect(stateAfter(['down', 'down', 'down', 'down', 'up', 'down'])).toMatchObject({ kind: 'closed', failures: 1 });
  });

  it('neither counts nor forgets for what says nothing about the host', () => {
    expect(stateAfter(['down', 'down', 'neutral', 'down', 'down', 'neutral', 'down'])).toMatchObject({ kind: 'open' });
  });

  it('opens exactly when the last five that say something all failed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<HostSign>('up', 'down', 'down', 'down', 'neutral')), (signs) => {
        const history = signs.filter((sign) => sign !== 'neutral').join(' ');
        expect(stateAfter(signs).kind === 'open').toBe(history.includes(Array(5).fill('down').join(' ')));
      }),
    );
  });

  it('stays as it is, the very same, for an answer that tells nothing new', () => {
    expect(onResult(closedBreaker, { generation: 0, sign: 'up' }, NOW)).toBe(closedBreaker);
  });

  it('ignores requests that left before it last opened', () => {
    const reclosed: BreakerState = { kind: 'closed', generation: 1, failures: 4 };
    expect(onResult(reclosed, { generation: 0, sign: 'down' }, NOW)).toBe(reclosed);
    expect(onResult(reclosed, { generation: 0, sign: 'up' }, NOW)).toBe(reclosed);
  });
});

describe.each([open, halfOpen])('a breaker that is $kind', (state) => {
  it.each(['up', 'down'] as const)('does not listen to a late request that found the host %s', (sign) => {
    expect(onResult(state, { generation: 0, sign }, NOW)).toBe(state);
    expect(onResult(state, { generation: 1, sign }, NOW)).toBe(state);
  });
});

describe('probes', () => {
  it('are due only where it is open, and their results count only while it is half open', () => {
    for (const state of [closedBreaker, halfOpen]) expect(onProbeDue(state, NOW + 86_400_000)).toBe(state);
    for (const state of [closedBreaker, open]) expect(onProbeResult(state, down, NOW)).toBe(state);
  });
});

describe('an open breaker', () => {
  it('becomes half open when its probe is due, not before', () => {
    expect(onProbeDue(open, NOW + 29_999)).toBe(open);
    expect(onProbeDue(open, NOW + 30_000)).toEqual(halfOpen);
  });

  it('waits no longer than its delay after a restart, whatever the clock did', () => {
    expect(onRestart(open, NOW - 86_400_000)).toMatchObject({ probeAt: NOW - 86_400_000 + 30_000 });
    expect(onRestart(open, NOW + 10_000)).toEqual(open);
  });
});

describe('a half open breaker', () => {
  it.each([200, 204, 301, 403, 404, 405, 429, 501])(
    'is closed by an answer of %d, all failures forgotten',
    (status) => {
      expect(onProbeResult(halfOpen, { kind: 'answer', status }, NOW)).toEqual({
        kind: 'closed',
        generation: 1,
        failures: 0,
      });
    },
  );

  it.each([{ kind: 'answer', status: 500 } as const, { kind: 'answer', status: 503 } as const, down])(
    'opens for twice as long after %j',
    (result) => {
      expect(onProbeResult(halfOpen, result, NOW)).toEqual({
        kind: 'open',
        generation: 1,
        failures: 6,
        delayMs: 60_000,
        probeAt: NOW + 60_000,
      });
    },
  );

  it('doubles its delay up to five minutes', () => {
    let state: BreakerState = open;
    const delays = Array.from({ length: 7 }, () => {
      const { delayMs } = state.kind === 'closed' ? halfOpen : state;
      state = onProbeResult({ ...halfOpen, delayMs }, down, NOW);
      return delayMs / 1_000;
    });
    expect(delays).toEqual([30, 60, 120, 240, 300, 300, 300]);
  });

  it('keeps its delay and is due at once when the probe was cut off, by an abort or a crash', () => {
    const due = { ...open, probeAt: NOW };
    expect(onProbeAbandoned(halfOpen, NOW)).toEqual(due);
    expect(onRestart(halfOpen, NOW)).toEqual(due);
  });

  it('starts with the first delay again when it has been closed and opens anew', () => {
    const reclosed = onProbeResult({ ...halfOpen, delayMs: 300_000 }, { kind: 'answer', status: 200 }, NOW);
    expect(stateAfter(Array<HostSign>(5).fill('down'), reclosed)).toMatchObject({
      kind: 'open',
      generation: 2,
      delayMs: defaultBreakerSettings.initialDelayMs,
    });
  });
});

describe('signOfStatus', () => {
  it.each([
    [200, 'up'],
    [304, 'up'],
    [404, 'up'],
    [408, 'up'],
    [429, 'neutral'],
    [500, 'down'],
    [501, 'up'],
    [503, 'down'],
    [520, 'down'],
  ])('%d: %s', (status, sign) => {
    expect(signOfStatus(status)).toBe(sign);
  });
});
