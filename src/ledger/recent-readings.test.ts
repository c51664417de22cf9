import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentReadings } from './recent-readings.ts';

const identityOf = (name: number) => hash('sha256', String(name), 'buffer').subarray(0, 16);

describe('recent readings', () => {
  it('are those that were set last, or none', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 40 }), fc.nat({ max: 2 ** 32 - 1 })), {
      maxLength: 100,
    });
    fc.assert(
      fc.property(steps, (used) => {
        const recent = new RecentReadings();
        const oracle = new Map<number, number>();
        for (const [sets, name, reading] of used) {
          if (sets) {
            recent.set(identityOf(name), reading);
            oracle.set(name, reading);
          } else expect([undefined, oracle.get(name)]).toContain(recent.get(identityOf(name)));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('of two that share a slot are those of the newer', () => {
    const recent = new RecentReadings();
    const [older, newer] = [
      Uint8Array.of(1, 2, 3, 4, ...identityOf(1).subarray(4)),
      Uint8Array.of(1, 2, 3, 5, ...identityOf(2).subarray(4)),
    ];
    recent.set(older, 7);
    expect(recent.get(older)).toBe(7);
    recent.set(newer, 8);
    expect(recent.get(older)).toBeUndefined();
    expect(recent.get(newer)).toBe(8);
  });

  it('are forgotten all at once', () => {
    const recent = new RecentReadings();
    recent.set(identityOf(1), 7);
    recent.clear();
    expect(recent.get(identityOf(1))).toBeUndefined();
  });
});
