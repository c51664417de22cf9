import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Suspects } from './suspects.ts';

describe('Suspects', () => {
  it('holds a request guilty when its host was up between four failures in a row', () => {
    const suspects = new Suspects();
    expect([0, 1, 2, 3].map((signs) => suspects.failed('a', 'host', signs))).toEqual([false, false, false, true]);
  });

  it('finds nobody guilty during an outage, however often they fail', () => {
    const suspects = new Suspects();
    for (let time = 0; time < 1_000; time++) expect(suspects.failed('a', 'host', 7)).toBe(false);
  });

  it('lets a request wait again when its host goes down after it was found guilty', () => {
    const suspects = new Suspects();
    for (const signs of [0, 1, 2, 3]) suspects.failed('a', 'host', signs);
    expect(suspects.failed('a', 'host', 3)).toBe(false);
    expect(suspects.failed('a', 'host', 4)).toBe(true);
  });

  it('begins anew when the request was answered, or fails at another host', () => {
    const suspects = new Suspects();
    for (const signs of [0, 1, 2]) suspects.failed('a', 'host', signs);
    suspects.clear('a');
    expect(suspects.failed('a', 'host', 3)).toBe(false);
    for (const signs of [4, 5]) suspects.failed('a', 'host', signs);
    expect(suspects.failed('a', 'other', 6)).toBe(false);
    expect(suspects.failed('a', 'host', 7)).toBe(false);
  });

  it('is guilty exactly when the last failure and two before it came after new signs of life', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (upBetween) => {
        const suspects = new Suspects();
        let signs = 0;
        suspects.failed('a', 'host', signs);
        let proofs = 0;
        for (const up of upBetween) {
          if (up) signs++;
          if (up) proofs++;
          expect(suspects.failed('a', 'host', signs)).toBe(up && proofs >= 3);
        }
      }),
    );
  });

  it('remembers a bounded number of requests', () => {
    const suspects = new Suspects();
    for (let n = 0; n < 12_000; n++) suspects.failed(String(n), 'host', 0);
    expect(suspects.size).toBe(10_000);
  });
});
