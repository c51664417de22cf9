// Which rule decides about a path: the longest that matches, on a tie the one that allows (RFC 9309 §2.2.2). A rule is
// only a place among the bytes until the path comes near it.

import type { Section } from './agent-sections.ts';
import { Glance } from './glance.ts';
import type { LineTable } from './line-table.ts';
import { matchesPattern } from './path-pattern.ts';
import { escapePattern } from './robots-path.ts';

/** One that matched. */
export interface MatchedRule {
  readonly kind: 'allow' | 'disallow';
  /** The index of its line. */
  readonly index: number;
  /** Of its pattern. */
  readonly length: number;
}

const LAST_ASCII = 0x7f;
const INDEX_PAGE = Buffer.from('/index.htm');

/** The rule among `sections` that decides about `path` (`pathOfUrl`); undefined when none matches. */
export function strongestRule(
  path: string,
  bytes: Buffer,
  lines: LineTable,
  sections: readonly Section[],
): MatchedRule | undefined {
  const contest = new Contest(path, bytes);
  const isDirectory = path.endsWith('/');
  for (const section of sections) {
    for (let index = section.from; index < section.to; index++) {
      const kind = lines.field(index);
      if (kind !== 'allow' && kind !== 'disallow') continue;
      const from = lines.from(index);
      const to = lines.to(index);
      contest.enter(kind, index, from, to, '');
      // As in the reference parser: who allows a directory's index page allows the directory, and nothing below it.
      if (isDirectory && kind === 'allow') contest.enter(kind, index, from, directoryEnd(bytes, from, to), '$');
    }
  }
  return contest.winner;
}

class Contest {
  readonly #path: string;
  readonly #bytes: Buffer;
  readonly #glance: Glance;
  winner: MatchedRule | undefined;

  constructor(path: string, bytes: Buffer) {
    this.#path = path;
    this.#bytes = bytes;
    this.#glance = new Glance(path);
  }

  /** A value without bytes matches nothing. */
  enter(kind: MatchedRule['kind'], index: number, from: number, to: number, anchor: '' | '$'): void {
    if (from === to || this.#glance.misses(this.#bytes, from, to)) return;
    const length = escapedLength(this.#bytes, from, to) + anchor.length;
    if (!this.#outranks(kind, length)) return;
    const pattern = escapePattern(this.#bytes.toString('latin1', from, to)) + anchor;
    if (matchesPattern(pattern, this.#path)) this.winner = { kind, index, length };
  }

  #outranks(kind: MatchedRule['kind'], length: number): boolean {
    if (this.winner === undefined || length > this.winner.length) return true;
    return length === this.winner.length && kind === 'allow' && this.winner.kind === 'disallow';
  }
}

/** A byte above ASCII is escaped, and so becomes three. */
function escapedLength(bytes: Uint8Array, from: number, to: number): number {
  let length = to - from;
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > LAST_ASCII) length += 2;
  return length;
}

/** Where the directory ends whose index page the value names; `from` when it names none. */
function directoryEnd(bytes: Uint8Array, from: number, to: number): number {
  let slash = to - 1;
  while (slash > from && bytes[slash] !== INDEX_PAGE[0]) slash--;
  if (slash + INDEX_PAGE.length > to) return from;
  return INDEX_PAGE.every((byte, offset) => bytes[slash + offset] === byte) ? slash + 1 : from;
}
