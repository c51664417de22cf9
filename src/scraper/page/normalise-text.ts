// Two strings that look the same to a reader become equal. White space of every kind (no-break, typographic, line ends)
// becomes one space and vanishes at the ends; characters that only steer layout (soft hyphen, zero-width space, byte order
// and direction marks) go; letters followed by combining marks are composed (NFC), but only those, since whole-text NFC
// would also replace characters such as the compatibility ideographs in names. U+200C and U+200D stay: they are spelling
// in Persian, in the Indic scripts and in emoji.

/** What needs no work at all: printable ASCII with single spaces. */
const CLEAN = /^[!-~]+(?: [!-~]+)*$/;
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;
const WHITE_SPACE = /\s+/g;
const MAY_COMPOSE = /[\u0300-\uffff]/;
/**
 * A character with its combining marks, or a Hangul syllable spelled in its letters. No language needs more than 30 marks
 * (UAX #15 §13), and composing takes quadratic time: longer runs stay as they are.
 */
const COMPOSABLE = /\P{M}\p{M}{1,30}(?!\p{M})|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/gu;

/** The text as a reader sees it, on one line. Idempotent. */
export function normaliseText(text: string): string {
  if (CLEAN.test(text)) return text;
  const spaced = text.replace(INVISIBLE, '').replace(WHITE_SPACE, ' ').trim();
  if (!MAY_COMPOSE.test(spaced)) return spaced;
  return spaced.replace(COMPOSABLE, (letters) => letters.normalize('NFC'));
}
