import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginWalk, frontierOf, isCutShort, isExhausted, onAsked, onHit, planProbes, type Walk } from './walk.ts';

/** The serial walk: what one patient person with a notebook finds. */
function serialWalk(exists: ReadonlySet<number>, first: number, last: number, gap: number): number[] {
  const found: number[] = [];
  let highest = last;
  for (let id = first; id <= highest + gap; id++) {
    if (!exists.has(id)) continue;
    found.push(id);
    highest = Math.max(highest, id);
  }
  return found;
}

/** Plays a walk with several workers, any order of answers, retries, and crashes that forget what is not settled. */
function play(
  exists: ReadonlySet<number>,
  start: Walk,
  workers: number,
  choose: (count: number) => number,
): { found: number[]; asked: Map<number, number>; walk: Walk } {
  let walk = start;
  const waiting: number[] = [];
  let flying: number[] = [];
  const settled = new Map<number, boolean>();
  const asked = new Map<number, number>();
  let trouble = 30;
  for (;;) {
    const plan = planProbes(walk, 7);
    if (plan !== undefined) {
      for (let id = plan.from; id <= plan.to; id++) waiting.push(id);
      walk = onAsked(walk, plan.to);
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
      default: {
        const [id] = flying.splice(choose(flying.length), 1);
        if (id === undefined) break;
        expect(settled.has(id)).toBe(false);
        asked.set(id, (asked.get(id) ?? 0) + 1);
        settled.set(id, exists.has(id));
        if (exists.has(id)) walk = onHit(walk, id);
      }
    }
  }
  expect(isExhausted(walk)).toBe(true);
  return {
    found: [...settled]
      .filter(([, hit]) => hit)
      .map(([id]) => id)
      .sort((x, y) => x - y),
    asked,
    walk,
  };
}

describe('a walk', () => {
  it('finds what a serial walk finds, at any speed and in any order of answers, and wastes exactly the gap', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -20, max: 80 })),
        fc.integer({ min: -10, max: 20 }),
        fc.nat({ max: 15 }),
        fc.nat({ max: 8 }),
        fc.integer({ min: 1, max: 16 }),
        fc.infiniteStream(fc.nat()),
        (ids, first, length, gap, workers, stream) => {
          const exists = new Set(ids);
          const last = first + length;
          const choose = (count: number) => Number(stream.next().value) % Math.max(1, count);
          const start = beginWalk({ first, last, gap, maxProbes: undefined });
          const { found, asked, walk } = play(exists, start, workers, choose);
          expect(found).toEqual(serialWalk(exists, first, last, gap));
          const highest = Math.max(last, ...found);
          expect(Math.max(...asked.keys())).toBe(highest + gap);
          expect(asked.size).toBe(highest + gap - first + 1);
          expect([...asked.values()].every((times) => times === 1)).toBe(true);
          expect(frontierOf(walk)).toBe(highest + gap);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('asks for every id of the definite range whatever the answers, also across a hole as wide as the gap', () => {
    const { asked } = play(new Set([1, 9]), beginWalk({ first: 1, last: 9, gap: 2, maxProbes: undefined }), 3, () => 0);
    expect([...asked.keys()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('probes nothing beyond the definite range when the gap is 0', () => {
    const walk = onHit(beginWalk({ first: 1, last: 3, gap: 0, maxProbes: undefined }), 3);
    expect(planProbes(walk, 100)).toEqual({ from: 1, to: 3 });
  });

  it('is opened again by a late hit beyond its end', () => {
    const done = onAsked(beginWalk({ first: 1, last: 1, gap: 2, maxProbes: undefined }), 3);
    expect(isExhausted(done)).toBe(true);
    const reopened = onHit(done, 3);
    expect(isExhausted(reopened)).toBe(false);
    expect(planProbes(reopened, 100)).toEqual({ from: 4, to: 5 });
  });

  it('plans nothing new when there are no new answers', () => {
    const walk = onAsked(beginWalk({ first: 5, last: 8, gap: 2, maxProbes: undefined }), 10);
    expect(planProbes(walk, 100)).toBeUndefined();
  });

  it('stops at its budget and says so', () => {
    const walk = onHit(beginWalk({ first: 1, last: 4, gap: 3, maxProbes: 5 }), 4);
    expect(planProbes(walk, 100)).toEqual({ from: 1, to: 5 });
    expect(isCutShort(walk)).toBe(true);
    expect(isCutShort(beginWalk({ first: 1, last: 2, gap: 3, maxProbes: 5 }))).toBe(false);
  });

  it('can have an empty definite range', () => {
    expect(planProbes(beginWalk({ first: 101, last: 100, gap: 3, maxProbes: undefined }), 9)).toEqual({
      from: 101,
      to: 103,
    });
  });
});
