// The fields of robots.txt as site owners really write them, and as Google's parser reads them: names in any case, with
// their common misspellings and with something after them; a blank in place of the colon. They are looked for by regular
// expressions, which are machine code from their first use: a crawler asks before anything of its own is compiled.
// None goes back further than its line, so that a text is read once, whatever is in it.

const BLANK = '[\\t\\v\\f ]';
const WORD = '[^\\t\\v\\f \\r\\n#]';

/** Lines that stand together: those whose values begin at `from` or later, and before `to`. */
export interface Section {
  readonly from: number;
  readonly to: number;
}

const WHOLE: readonly Section[] = [{ from: 0, to: Number.POSITIVE_INFINITY }];

export class RobotsField {
  readonly #line: RegExp;

  /** `names` is what it may be called; `oneWordNames` those of them behind which a blank can stand for the colon. */
  constructor(names: string, oneWordNames = names) {
    const upToColon = `(?:${names})[^:#\\n]*:`;
    const upToBlank = `(?:${oneWordNames})${WORD}*${BLANK}+(?=${WORD}+${BLANK}*(?:[#\\r\\n]|$))`;
    this.#line = new RegExp(`^${BLANK}*(?:${upToColon}|${upToBlank})${BLANK}*`, 'gim');
  }

  /** Where the value stands in the first line with this field that begins at `from` or later; Infinity without one. */
  next(text: string, from: number): number {
    const line = this.#line;
    line.lastIndex = from;
    return line.test(text) ? line.lastIndex : Number.POSITIVE_INFINITY;
  }

  /** Where the values stand in all lines with this field, in `sections` that follow each other. */
  all(text: string, sections: readonly Section[] = WHOLE): readonly number[] {
    const places: number[] = [];
    let at = -1;
    for (const { from, to } of sections) {
      // What was found behind the last section may be in this one: the text is searched once, however many there are.
      if (at < from) at = this.next(text, from);
      for (; at < to; at = this.next(text, at)) places.push(at);
    }
    return places;
  }
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
