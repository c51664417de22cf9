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

  it('of three that share a slot are those of the two that were set last', () => {
    const recent = new RecentReadings();
    const sharing = (name: number) => Uint8Array.of(1, 2, 3, name, ...identityOf(name).subarray(4));
    const readings = () => [1, 2, 3].map((name) => recent.get(sharing(name)));
    recent.set(sharing(1), 7);
    recent.set(sharing(2), 8);
    expect(readings()).toEqual([7, 8, undefined]);
    recent.set(sharing(2), 9);
    expect(readings()).toEqual([7, 9, undefined]);
    recent.set(sharing(3), 10);
    expect(readings()).toEqual([undefined, 9, 10]);
    recent.set(sharing(2), 11);
    expect(readings()).toEqual([undefined, 11, 10]);
  });

  it('are forgotten all at once', () => {
    const recent = new RecentReadings();
    recent.set(identityOf(1), 7);
    recent.clear();
    expect(recent.get(identityOf(1))).toBeUndefined();
  });
});
