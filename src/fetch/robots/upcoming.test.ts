import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Upcoming } from './upcoming.ts';

it('what is upcoming is what a search would find, in whatever order is asked', () => {
  const text = fc.string({ unit: fc.constantFrom('#', '-'), maxLength: 20 });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 22 })), (text, places) => {
      const upcoming = new Upcoming((from) => text.indexOf('#', from));
      for (const from of places) {
        const found = text.indexOf('#', from);
        expect(upcoming.after(from)).toBe(found === -1 ? Number.POSITIVE_INFINITY : found);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('a text that is gone through from start to end is searched once for each that is there', () => {
  let searches = 0;
  const text = '--#--#----';
  const upcoming = new Upcoming((from) => {
    searches++;
    return text.indexOf('#', from);
  });
  for (let from = 0; from < text.length; from++) upcoming.after(from);
  expect(searches).toBe(3);
});
