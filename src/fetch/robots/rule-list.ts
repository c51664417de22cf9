// The rules of one group, and which of them decides about a path: the longest match, on a tie allow (RFC 9309 §2.2.2).
// A file may hold forty thousand rules, and a path comes near a few. So a rule is three small numbers that say where it
// stands in the text, and becomes a pattern only when the path begins as it does.

import { matchesPattern } from './path-pattern.ts';
import { escapePattern } from './robots-path.ts';

/** `allow_directory` allows the directory itself and nothing below it. */
export type RuleKind = (typeof KINDS)[number];
const KINDS = ['allow', 'disallow', 'allow_directory'] as const;

export interface MatchedRule {
  readonly kind: RuleKind;
  readonly line: number;
  /** As it stands in the text, one character per byte. */
  readonly value: string;
  /** Of the escaped pattern: the longer one wins. */
  readonly length: number;
}

const STAR = 0x2a;
const DOLLAR = 0x24;
const PERCENT = 0x25;
const OTHER_CASE = 0x20;
const LAST_ASCII = 0x7f;
const NUMBERS_PER_RULE = 3;

export class RuleList {
  readonly #text: string;
  // For each rule: where its value begins, its length times the number of kinds plus its kind, and its line.
  readonly #packed: number[] = [];

  /** `text` is the whole file, one character per byte. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Adds the rule whose value stands at `from`, up to `to`. An empty value matches nothing and need not be added. */
  add(kind: RuleKind, from: number, to: number, line: number): void {
    this.#packed.push(from, (to - from) * KINDS.length + KINDS.indexOf(kind), line);
  }

  /** The rule that decides about `path`: one of this list, or `rival` when none here is stronger. */
  strongest(path: string, rival: MatchedRule | undefined): MatchedRule | undefined {
    const text = this.#text;
    const packed = this.#packed;
    let best = rival;
    for (let index = 0; index < packed.length; index += NUMBERS_PER_RULE) {
      const from = packed[index] ?? 0;
      const lengthAndKind = packed[index + 1] ?? 0;
      const to = from + Math.floor(lengthAndKind / KINDS.length);
      if (beginsOtherwise(text, from, to, path)) continue;
      const kind = KINDS[lengthAndKind % KINDS.length] ?? 'disallow';
      const value = text.slice(from, to);
      const pattern = escapePattern(value) + (kind === 'allow_directory' ? '$' : '');
      const match: MatchedRule = { kind, line: packed[index + 2] ?? 0, value, length: pattern.length };
      if (outranks(match, best) && matchesPattern(pattern, path)) best = match;
    }
    return best;
  }
}

function outranks(rule: MatchedRule, best: MatchedRule | undefined): boolean {
  if (best === undefined || rule.length > best.length) return true;
  return rule.length === best.length && rule.kind !== 'disallow' && best.kind === 'disallow';
}

/** A look at the characters a rule begins with: true only when the escaped pattern cannot match. */
function beginsOtherwise(text: string, from: number, to: number, path: string): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const wanted = path.charCodeAt(at - from);
    if (code === STAR || code === DOLLAR) return false;
    if (code > LAST_ASCII) return wanted !== PERCENT;
    // Letters that differ only in case may be the digits of an escape.
    if (code !== wanted && (code ^ wanted) !== OTHER_CASE) return true;
  }
  return false;
}
