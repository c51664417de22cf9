// Values of parameters that come as JSON or as the text of a form field. Both mean the same; anything else is refused.

import { z } from 'zod';

/** A whole number, also as text. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const number = z.int().min(min).max(max);
  const text = z
    .string()
    .regex(/^\s*[+-]?\d{1,15}\s*$/)
    .transform(Number)
    .pipe(number);
  return z.union([number, text], { error: `must be a whole number ${bounds}` });
}

/** Seconds, with a fraction if need be, also as text. */
export function seconds(max: number) {
  const number = z.number().min(0).max(max);
  const text = z
    .string()
    .regex(/^\s*\d{1,9}(\.\d{1,9})?\s*$/)
    .transform(Number)
    .pipe(number);
  return z.union([number, text], { error: `must be a number of seconds from 0 to ${max}` });
}

const TRUE = ['true', '1', 'on', 'yes'];
const FALSE = ['false', '0', 'off', 'no'];

/** Yes or no, as JSON, as a checkbox says it, or in a word. */
export const flag = z.union(
  [
    z.boolean(),
    z.literal([0, 1]).transform((number) => number === 1),
    z
      .string()
      .regex(new RegExp(`^\\s*(${[...TRUE, ...FALSE].join('|')})\\s*$`, 'i'))
      .transform((text) => TRUE.includes(text.trim().toLowerCase())),
  ],
  { error: 'must be true or false' },
);

/** One word of a list, in upper or lower case. */
export function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z
    .string({ error: `must be one of ${words.join(', ')}` })
    .trim()
    .toLowerCase()
    .pipe(z.enum(words, { error: `must be one of ${words.join(', ')}` }))
    .describe(`${words.join(', ')}; upper and lower case are the same`);
}
