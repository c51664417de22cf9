import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Docket } from './docket.ts';
import { containsId, parseIdSet } from './id-set.ts';

describe('an id set', () => {
  it('is read from ranges with both ends, single ids and an open end', () => {
    const set = parseIdSet('120-131,200,300-');
    expect([119, 120, 131, 132, 200, 201, 299, 300, 9_999].filter((id) => containsId(set, id))).toEqual([
      120, 131, 200, 300, 9_999,
    ]);
  });

  it('may be empty', () => {
    expect(containsId(parseIdSet(''), 1)).toBe(false);
  });

  it.each(['x', '1-2-3', '-5', '1,,2'])('refuses %j', (text) => {
    expect(() => parseIdSet(text)).toThrow('Not a range of ids');
  });
});

describe('Docket', () => {
  it('has the ids from lowest to highest but the holes', () => {
    const docket = new Docket({ lowest: 0, highest: 9, holes: [[3, 5]] });
    expect(docket.publicIds()).toEqual([0, 1, 2, 6, 7, 8, 9]);
    expect([3, 10].map((id) => docket.standing(id))).toEqual(['absent', 'absent']);
  });

  it('takes a rule for holes, which may change its mind', () => {
    const late = new Set([4]);
    const docket = new Docket({ highest: 5, holes: (id) => late.has(id) });
    expect(docket.publicIds()).toEqual([1, 2, 3, 5]);
    late.delete(4);
    expect(docket.publicIds()).toEqual([1, 2, 3, 4, 5]);
  });

  it('seals and misses softly also beyond the highest id', () => {
    const from300 = parseIdSet('300-');
    expect(new Docket({ sealed: from300 }).standing(9_999)).toBe('sealed');
    expect(new Docket({ softMissing: from300 }).standing(9_999)).toBe('soft-missing');
    expect(new Docket({ redirectMissing: from300 }).standing(9_999)).toBe('redirect-missing');
  });

  it('draws random holes by its seed, about as many as asked', () => {
    const ids = (seed: number) => new Docket({ highest: 1_000, holeRate: 0.3, seed }).publicIds();
    expect(ids(7)).toEqual(ids(7));
    expect(ids(7)).not.toEqual(ids(8));
    expect(ids(7).length).toBeGreaterThan(620);
    expect(ids(7).length).toBeLessThan(780);
  });

  it('does not change its cases when it grows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer(), (id, seed) => {
        const [small, large] = [new Docket({ highest: 500, seed }), new Docket({ highest: 5_000, seed })];
        expect([large.record(id), large.related(id)]).toEqual([small.record(id), small.related(id)]);
      }),
    );
  });

  it('files cases in the order of their ids', () => {
    const docket = new Docket({ highest: 500 });
    const dates = docket.publicIds().map((id) => docket.record(id).filed);
    expect(dates).toEqual([...dates].sort());
  });

  it('finds neighbours over holes, and none at its ends', () => {
    const docket = new Docket({ highest: 10, holes: [[4, 6]], sealed: [[7, 7]] });
    expect([docket.neighbour(3, 1), docket.neighbour(8, -1)]).toEqual([8, 3]);
    expect([docket.neighbour(1, -1), docket.neighbour(10, 1)]).toEqual([undefined, undefined]);
  });
});
