import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../platform/random.ts';
import { decideRetry, defaultRetrySettings } from './retry-policy.ts';

const noChance: Random = { ...seededRandom(1), next: () => 0 };

describe('decideRetry', () => {
  it('waits 2 s, then 4 s, then gives up', () => {
    expect([1, 2, 3].map((attempt) => decideRetry(attempt, noChance))).toEqual([
      { kind: 'retry', delayMs: 2_000 },
      { kind: 'retry', delayMs: 4_000 },
      { kind: 'give_up' },
    ]);
  });

  it('gives up at once when one attempt is all there is', () => {
    expect(decideRetry(1, noChance, { ...defaultRetrySettings, attempts: 1 })).toEqual({ kind: 'give_up' });
  });

  it('decides the same for the same seed', () => {
    const decisions = () => {
      const random = seededRandom(7);
      return [1, 2].map((attempt) => decideRetry(attempt, random));
    };
    expect(decisions()).toEqual(decisions());
  });

  it('adds at most the jitter to the doubled wait, and never takes from it', () => {
    const settings = fc.record({
      attempts: fc.integer({ min: 2, max: 10 }),
      baseDelayMs: fc.integer({ min: 1, max: 60_000 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(settings, fc.integer(), (settings, seed) => {
        const random = seededRandom(seed);
        let least = settings.baseDelayMs;
        for (let attempt = 1; attempt < settings.attempts; attempt++, least += least) {
          const decision = decideRetry(attempt, random, settings);
          const delayMs = decision.kind === 'retry' ? decision.delayMs : Number.NaN;
          expect(delayMs).toBeGreaterThanOrEqual(least);
          expect(delayMs).toBeLessThanOrEqual(Math.ceil(least * (1 + settings.jitter)));
        }
      }),
    );
  });
});
