// The fields of robots.txt as site owners really write them, and as Google's parser reads them: names in any case, with
// their common misspellings and with something after them; a blank in place of the colon. They are looked for by regular
// expressions, which are machine code from their first use: a crawler asks before anything of its own is compiled.
// None goes back further than its line, so that a text is read once, whatever is in it.

import { ABOVE_ASCII, asWritten, VALUE } from './robots-text.ts';

const BLANK = '[\\t\\v\\f ]';
const WORD = '[^:\\t\\v\\f \\r\\n#]';

const BEHIND_CR = new RegExp(`(?<=\\r)${VALUE}`, 'g');

/** Where values begin, in their order. */
export type Places = Uint32Array;

/**
 * Lines that stand together, a pair of numbers for each such section in their order: those whose values begin at the first or
 * later, and before the second.
 */
export type Sections = Uint32Array;

/** What a section ends before that nothing follows. */
export const NO_END = 0xff_ff_ff_ff;

const WHOLE: Sections = Uint32Array.of(0, NO_END);

export class RobotsField {
  readonly #names: string;
  readonly #oneWordNames: string;
  readonly #line: RegExp;

  /**
   * `names` is what it may be called; `oneWordNames` those of them behind which a blank can stand for the colon; `value` what
   * its value begins with.
   */
  constructor(names: string, oneWordNames = names, value?: string) {
    const colon = '[^:#\\n]*:';
    const blank = `${WORD}*${BLANK}+(?=${WORD}+${BLANK}*(?:[#\\r\\n]|$))`;
    this.#names = names;
    this.#oneWordNames = oneWordNames;
    // The names once where they can be: what is no such line is not compared with them again.
    const field =
      names === oneWordNames
        ? `(?:${names})(?:${colon}|${blank})`
        : `(?:(?:${names})${colon}|(?:${oneWordNames})${blank})`;
    const upToValue = `^${BLANK}*${field}${BLANK}*`;
    // No blank begins a value: one that is not what it should be is not looked for further ahead.
    this.#line = new RegExp(value === undefined ? upToValue : `${upToValue}(?!${BLANK})(?=${value})`, 'gim');
  }

  /** The field where its value begins as the regular expression `value` says, which must not reach beyond the line. */
  whose(value: string): RobotsField {
    return new RobotsField(this.#names, this.#oneWordNames, value);
  }

  /** Where the value stands in the first line with this field that begins at `from` or later; Infinity without one. */
  next(text: string, from: number): number {
    const line = this.#line;
    line.lastIndex = from;
    return line.test(text) ? line.lastIndex : Number.POSITIVE_INFINITY;
  }

  /** Where the values stand in all lines with this field. */
  all(text: string, sections: Sections = WHOLE): Places {
    return this.some(text, sections, Number.POSITIVE_INFINITY);
  }

  /** The first `most` of them, of those that begin behind `after`. */
  some(text: string, sections: Sections, most: number, after = -1): Places {
    const line = this.#line;
    let places = new Uint32Array(64);
    let count = 0;
    let at = -1;
    for (let section = 0; section < sections.length; section += 2) {
      const from = sections[section] ?? 0;
      const to = sections[section + 1] ?? 0;
      if (to <= after) continue;
      // What was found behind the last section may be in this one: the text is searched once, however many there are.
      if (at < from) at = this.next(text, Math.max(from, after + 1));
      while (at < to) {
        if (count === most) return places.slice(0, count);
        if (count === places.length) places = enlarged(places);
        places[count++] = at;
        at = line.test(text) ? line.lastIndex : Number.POSITIVE_INFINITY;
      }
    }
    return places.slice(0, count);
  }

  /** All values that are not empty, as they were written. */
  // In two calls, for there may be tens of thousands of lines. Their beginnings give way to a CR, which stands nowhere else
  // but before LF.
  values(text: string): readonly string[] {
    if (this.next(text, 0) === Number.POSITIVE_INFINITY) return [];
    const values = text.replace(this.#line, '\r').match(BEHIND_CR) ?? [];
    return ABOVE_ASCII.test(text) ? values.map(asWritten) : values;
  }
}

// An ordinary array would be enlarged too, but within the heap, and a text full of lines would have garbage collected.
export function enlarged(places: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(places.length * 4);
  more.set(places);
  return more;
}

const ALLOW_NAMES = 'allow';
const DISALLOW_NAMES = 'dis(?:allow|sallow|salow|alow|allaw)|diasllow';
const DELAY_NAMES = ['crawl[- ]?delay', 'crawl-?delay'] as const;

export const AGENT = new RobotsField('user[- ]?agent', 'user-?agent');
export const ALLOW = new RobotsField(ALLOW_NAMES);
export const DISALLOW = new RobotsField(DISALLOW_NAMES);
export const CRAWL_DELAY = new RobotsField(...DELAY_NAMES);
export const SITEMAP = new RobotsField('site-?map');
/** Either of the two. */
export const RULE = new RobotsField(`${ALLOW_NAMES}|${DISALLOW_NAMES}`);
export const RULE_OR_DELAY = new RobotsField(
  `${ALLOW_NAMES}|${DISALLOW_NAMES}|${DELAY_NAMES[0]}`,
  `${ALLOW_NAMES}|${DISALLOW_NAMES}|${DELAY_NAMES[1]}`,
);
