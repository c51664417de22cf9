import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Stretches } from './stretches.ts';

const LETTERS = 64;
const word = (max: number) => fc.array(fc.constantFrom(0, 1, 2, LETTERS - 1), { maxLength: max });

describe('the stretches of a text', () => {
  it('are just those that stand in it, and are known with their first and last place', () => {
    fc.assert(
      fc.property(word(30), word(5), (text, wanted) => {
        const { next, firstEnd, lastEnd } = new Stretches(Uint8Array.from(text), LETTERS);
        let state = 0;
        const found = wanted.every((letter) => {
          state = next[state * LETTERS + letter] ?? 0;
          return state !== 0;
        });
        const spell = (letters: readonly number[]) => String.fromCharCode(...letters);
        const [whole, part] = [spell(text), spell(wanted)];
        expect(found).toBe(whole.includes(part));
        if (!found || wanted.length === 0) return;
        expect(firstEnd[state]).toBe(whole.indexOf(part) + part.length);
        expect(lastEnd[state]).toBe(whole.lastIndexOf(part) + part.length);
      }),
      { numRuns: 20_000 },
    );
  });
});
