// The rules for one agent, and which of them decides about a path: the longest that matches, on a tie the one that allows
// (RFC 9309 §2.2.2). A rule without `*`, `$` or escapes is the beginning of a path and is looked up by it, however many there
// are; only the others are looked at one by one.

import { Glance } from './glance.ts';
import { matchesPattern } from './path-pattern.ts';
import { ALLOW, DISALLOW, type Section } from './robots-field.ts';
import { escapePattern } from './robots-path.ts';
import type { RobotsText } from './robots-text.ts';
import { Upcoming } from './upcoming.ts';

/** One that matched. */
export interface MatchedRule {
  readonly kind: RuleKind;
  /** Where its value begins. */
  readonly at: number;
  /** Of its pattern. */
  readonly length: number;
}

type RuleKind = 'allow' | 'disallow';

/** A rule that has to be tried: the value from `at`, before `to`, with `anchor` behind it. */
interface Pattern {
  readonly kind: RuleKind;
  readonly at: number;
  readonly to: number;
  readonly anchor: '' | '$';
}

const SPECIAL = /[*$%\x80-\xff]/g;
const LAST_ASCII = 0x7f;
const INDEX_PAGE = '/index.htm';

export class RuleSet {
  readonly #robots: RobotsText;
  /** Where the first rule with each plain value stands. */
  readonly #plain: Readonly<Record<RuleKind, Map<string, number>>> = { allow: new Map(), disallow: new Map() };
  readonly #plainLengths = new Set<number>();
  readonly #patterns: Pattern[] = [];

  /** The rules of `sections`. */
  constructor(robots: RobotsText, sections: readonly Section[]) {
    this.#robots = robots;
    this.#read('allow', ALLOW.all(robots.text, sections));
    this.#read('disallow', DISALLOW.all(robots.text, sections));
  }

  /** The rule that decides about `path` (`pathOfUrl`); undefined when none matches. */
  strongest(path: string): MatchedRule | undefined {
    const { text } = this.#robots;
    const contest = new Contest();
    for (const length of this.#plainLengths) {
      if (length > path.length) continue;
      const start = path.slice(0, length);
      for (const kind of ['allow', 'disallow'] as const) {
        const at = this.#plain[kind].get(start);
        if (at !== undefined) contest.enter({ kind, at, length });
      }
    }
    const glance = new Glance(path);
    for (const pattern of this.#patterns) {
      if (glance.misses(this.#robots.bytes, pattern.at, pattern.to)) continue;
      const { kind, at, to, anchor } = pattern;
      const rule = { kind, at, length: escapedLength(text, at, to) + anchor.length };
      if (contest.isLostBy(rule)) continue;
      if (matchesPattern(escapePattern(text.slice(at, to)) + anchor, path)) contest.enter(rule);
    }
    return contest.winner;
  }

  #read(kind: RuleKind, places: readonly number[]): void {
    const { text } = this.#robots;
    const plain = this.#plain[kind];
    const indexPage = new Upcoming((from) => text.indexOf(INDEX_PAGE, from));
    // What `Upcoming` does, without its calls: here they would be the longest part of reading a file full of rules.
    let special = -1;
    let length = 0;
    for (const at of places) {
      const to = this.#robots.endOfValue(at);
      // A value without anything matches nothing.
      if (to === at) continue;
      if (special < at) special = indexOfSpecial(text, at);
      if (special < to) {
        this.#patterns.push({ kind, at, to, anchor: '' });
      } else {
        const value = text.slice(at, to);
        if (plain.has(value)) continue;
        plain.set(value, at);
        // Neighbours are mostly of one length.
        if (value.length !== length) this.#plainLengths.add(value.length);
        length = value.length;
      }
      if (kind === 'allow' && indexPage.after(at) < to) this.#allowDirectory(at, to);
    }
  }

  // As in the reference parser: who allows a directory's index page allows the directory, and nothing below it.
  #allowDirectory(at: number, to: number): void {
    const { text } = this.#robots;
    const slash = text.lastIndexOf('/', to - 1);
    if (text.startsWith(INDEX_PAGE, slash)) this.#patterns.push({ kind: 'allow', at, to: slash + 1, anchor: '$' });
  }
}

/** Rules that match, against each other. */
class Contest {
  winner: MatchedRule | undefined;

  isLostBy({ kind, at, length }: MatchedRule): boolean {
    const { winner } = this;
    if (winner === undefined || length > winner.length) return false;
    if (length < winner.length) return true;
    // Of two that say the same, the one that stands first.
    return kind === winner.kind ? at > winner.at : kind === 'disallow';
  }

  enter(rule: MatchedRule): void {
    if (!this.isLostBy(rule)) this.winner = rule;
  }
}

/** A byte above ASCII is escaped, and so becomes three. */
function escapedLength(text: string, from: number, to: number): number {
  let length = to - from;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > LAST_ASCII) length += 2;
  return length;
}

/** Where the first character is, at `from` or later, that makes a value more than the beginning of a path; else Infinity. */
function indexOfSpecial(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : Number.POSITIVE_INFINITY;
}
