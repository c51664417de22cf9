import { expect, test } from 'vitest';
import type { WalkSummary } from '../summarise-walks.ts';
import { sequenceCoverage } from './sequence-coverage.ts';

const WALK: WalkSummary = {
  definite: [1, 20],
  plus: 5,
  hits: 18,
  highestHit: 22,
  largestGap: 2,
  absent: 9,
  blocked: 0,
  unknown: 0,
  duplicate: 0,
  probes: 27,
  finished: true,
};

test('a sequence that came to its own end is complete and says where', () => {
  expect(sequenceCoverage('byNumber', WALK)).toEqual({
    entry: 'byNumber',
    kind: 'sequence',
    complete: true,
    expected: 27,
    verdicts: { done: 18, absent: 9 },
    statement: '27 ids asked for, 18 exist, 9 do not, none in the 5 after 22',
  });
});

test.each<[string, Partial<WalkSummary>, string]>([
  ['an id that was refused', { blocked: 1, absent: 8 }, '1 without a usable answer'],
  ['an id without an answer', { unknown: 2, absent: 7 }, '2 without a usable answer'],
  ['an id whose page could not be read', { failed: 1, absent: 8 }, '1 without a usable answer'],
  ['ids that were not asked for', { finished: false, pending: 3 }, 'not asked to its end'],
  ['a budget', { finished: false, endedBy: 'budget' }, 'ended by its budget; there may be more'],
])('a sequence with %s is not complete', (_, change, why) => {
  const { complete, statement } = sequenceCoverage('byNumber', { ...WALK, ...change });
  expect(complete).toBe(false);
  expect(statement).toContain(why);
});

test('a sequence of ids that were named says which', () => {
  const named = { ...WALK, definite: [25, 25], plus: 0, probes: 1, hits: 1, absent: 0, highestHit: 25 } as const;
  expect(sequenceCoverage('byNumber', named).statement).toBe('1 id asked for, 1 exists, 0 do not, all from 25 to 25');
});

test('a sequence without a hit says so', () => {
  const empty = { ...WALK, hits: 0, highestHit: null, absent: 27 };
  expect(sequenceCoverage('byNumber', empty).statement).toMatch(/nothing was found$/);
});
