import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frontierOf, isCutShort, isExhausted, type Walk, type WalkRange } from '../ledger/frontier.ts';
import { onAsked, onHit, planProbes } from './walk.ts';

const begin = (range: Partial<WalkRange>): Walk => {
  const { first = 1, last = 1, gap = 0, maxProbes } = range;
  return { first, last, gap, maxProbes, highestHit: undefined, next: first };
};

/** What a site has for an id. `soft`: a "not found" page with status 200. `same`: the page of an id that was asked before. */
type Thing = 'case' | 'soft' | 'refused' | 'same' | 'nothing';
type Site = (id: number) => Thing;

/** The serial walk: what one patient person with a notebook finds. */
function serialWalk(site: Site, { first, last, gap }: WalkRange): number[] {
  const found: number[] = [];
  let highest = last;
  for (let id = first; id <= highest + gap; id++) {
    if (site(id) !== 'case') continue;
    found.push(id);
    highest = Math.max(highest, id);
  }
  return found;
}

/** Plays a walk with several workers, any order of answers, retries, and crashes that forget what is not settled. */
function play(site: Site, start: Walk, workers: number, choose: (count: number) => number) {
  let walk = start;
  const waiting: number[] = [];
  let flying: number[] = [];
  const settled = new Map<number, Thing>();
  const planned: number[] = [];
  let trouble = 30;
  const settle = (id: number) => {
    expect(settled.has(id)).toBe(false);
    settled.set(id, site(id));
    if (site(id) === 'case') walk = onHit(walk, id);
  };
  for (;;) {
    const plan = planProbes(walk, 7);
    if (plan !== undefined) {
      walk = onAsked(walk, plan.to);
      for (let id = plan.from; id <= plan.to; id++) {
        planned.push(id);
        // A duplicate is a miss at once, and never leaves.
        if (site(id) === 'same') settle(id);
        else waiting.push(id);
      }
      continue;
    }
    while (flying.length < workers && waiting.length > 0) {
      flying.push(...waiting.splice(choose(waiting.length), 1));
    }
    if (flying.length === 0) break;
    switch (trouble-- > 0 ? choose(6) : 9) {
      case 0: // A crash: what was in flight is asked for again, the walk is as it was written.
        waiting.push(...flying);
        flying = [];
        break;
      case 1: // An answer that is to be retried settles nothing.
        waiting.push(...flying.splice(choose(flying.length), 1));
        break;
      default:
        for (const id of flying.splice(choose(flying.length), 1)) settle(id);
    }
  }
  expect(isExhausted(walk)).toBe(true);
  const found = [...settled].filter(([, thing]) => thing === 'case').map(([id]) => id);
  return { found: found.sort((x, y) => x - y), planned, walk };
}

const things = fc.array(fc.constantFrom<Thing>('case', 'case', 'soft', 'refused', 'same', 'nothing', 'nothing'), {
  maxLength: 100,
});

describe('a walk', () => {
  it('finds what a serial walk finds, at any speed and in any order of answers, and wastes exactly the gap', () => {
    fc.assert(
      fc.property(
        things,
        fc.integer({ min: -20, max: 5 }),
        fc.integer({ min: -10, max: 20 }),
        fc.nat({ max: 15 }),
        fc.nat({ max: 8 }),
        fc.integer({ min: 1, max: 16 }),
        fc.infiniteStream(fc.nat()),
        (list, lowest, first, length, gap, workers, stream) => {
          const site = (id: number): Thing => list[id - lowest] ?? 'nothing';
          const range = { first, last: first + length, gap, maxProbes: undefined };
          const choose = (count: number) => Number(stream.next().value) % Math.max(1, count);
          const { found, planned, walk } = play(site, begin(range), workers, choose);
          expect(found).toEqual(serialWalk(site, range));
          const highest = Math.max(range.last, ...found);
          // Every id up to the frontier once, in order, and none beyond it.
          expect(planned).toEqual(Array.from({ length: highest + gap - first + 1 }, (_, at) => first + at));
          expect(frontierOf(walk)).toBe(highest + gap);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('asks for every id of the definite range whatever the answers, also across a hole as wide as the gap', () => {
    const site = (id: number) => (id === 1 || id === 9 ? 'case' : 'nothing');
    const { planned } = play(site, begin({ last: 9, gap: 2 }), 3, () => 0);
    expect(planned).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('probes nothing beyond the definite range when the gap is 0', () => {
    const walk = onHit(begin({ last: 3, gap: 0 }), 3);
    expect(planProbes(walk, 100)).toEqual({ from: 1, to: 3 });
  });

  it('is opened again by a late hit beyond its end', () => {
    const done = onAsked(begin({ last: 1, gap: 2 }), 3);
    expect(isExhausted(done)).toBe(true);
    const reopened = onHit(done, 3);
    expect(isExhausted(reopened)).toBe(false);
    expect(planProbes(reopened, 100)).toEqual({ from: 4, to: 5 });
  });

  it('is not moved by a late hit below the highest', () => {
    const walk = onHit(begin({ last: 1, gap: 9 }), 8);
    expect(onHit(walk, 5)).toBe(walk);
    expect(onHit(walk, 8)).toBe(walk);
  });

  it('is planned in pieces of any size, down to its last id', () => {
    const walk = begin({ last: 10 });
    expect(planProbes(walk, 9)).toEqual({ from: 1, to: 9 });
    const almostDone = onAsked(walk, 9);
    expect(isExhausted(almostDone)).toBe(false);
    expect(planProbes(almostDone, 9)).toEqual({ from: 10, to: 10 });
  });

  it('plans nothing new when there are no new answers', () => {
    const walk = onAsked(begin({ first: 5, last: 8, gap: 2 }), 10);
    expect(planProbes(walk, 100)).toBeUndefined();
  });

  it('stops at its budget and says so', () => {
    const walk = onHit(begin({ last: 4, gap: 3, maxProbes: 5 }), 4);
    expect(planProbes(walk, 100)).toEqual({ from: 1, to: 5 });
    expect(isCutShort(walk)).toBe(true);
    expect(isCutShort(begin({ last: 2, gap: 3, maxProbes: 5 }))).toBe(false);
  });

  it('can have an empty definite range', () => {
    expect(planProbes(begin({ first: 101, last: 100, gap: 3 }), 9)).toEqual({ from: 101, to: 103 });
  });

  it('ends at the last id that is a safe integer', () => {
    const last = Number.MAX_SAFE_INTEGER - 2;
    const walk = onHit(begin({ first: last, last, gap: 1 }), last + 1);
    expect(planProbes(walk, 100)).toEqual({ from: last, to: Number.MAX_SAFE_INTEGER });
    const done = onAsked(onHit(walk, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
    expect(isExhausted(done)).toBe(true);
    expect(isCutShort(done)).toBe(false);
  });
});
