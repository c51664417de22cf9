// Chance that depends on names only: the same seed and the same keys give the same number in every process and in
// whatever order they are asked for, so that a site does not change with the speed of its visitors.

import { type Random, seededRandom } from '../src/platform/random.ts';

export type ChanceKey = string | number;

/** A repeatable source of numbers for one thing, named by its keys: `chance(seed, 'case', 17)`. */
export function chance(seed: number, ...keys: readonly ChanceKey[]): Random {
  return seededRandom(fnv1a(`${seed}/${keys.join('/')}`));
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
