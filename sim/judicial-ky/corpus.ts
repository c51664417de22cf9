// All judgments that the site ever has, and the three versions of its index. v2 adds seven cases, drops three and
// retitles two; v3 brings back one of those dropped. What a perfect mirror holds can be read here.

import { createHash } from 'node:crypto';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { chance } from '../chance.ts';
import type { IndexRow } from './index-row.ts';
import { FIRST_PLAIN_INDEX, type JudgmentCase, judgmentCase } from './judgment-case.ts';
import { judgmentPdf } from './judgment-pdf.ts';

export const CORPUS_VERSIONS = ['v1', 'v2', 'v3'] as const;
export type CorpusVersion = (typeof CORPUS_VERSIONS)[number];

export interface CorpusOptions {
  /** Everything follows from it. Default 1. */
  readonly seed?: number;
  /** Number of cases in v1, each with a token of its own. At least 40. Default 4,300. */
  readonly cases?: number;
}

const FEWEST_CASES = 40;
const ADDED = 7;
const REMOVED = 3;
const RETITLED = 2;

/** Of every 500 rows one comes twice, and one again with its token written differently. */
const REPEATED_EVERY = 500;
const TWICE = 3;
const TWICE_DIFFERENTLY = 4;
const PADDED = 13;
const LONG_ROW = 11;
/** First of two cases in one row, and what stands between the tokens. */
const PAIRS: Readonly<Record<number, string>> = { 5: '|', 7: '; ', 9: ',' };
/** Of every 200 cases one is followed by a row without a token. */
const PENDING_EVERY = 200;
const PENDING = 25;

export class Corpus {
  /** Every case there ever is: those of v1, then those that v2 adds. */
  readonly cases: readonly JudgmentCase[];
  /** What v2 adds: none is criminal. */
  readonly added: readonly JudgmentCase[];
  /** What v2 lacks, none criminal; v3 has the first of them again. */
  readonly removed: readonly JudgmentCase[];
  /** What v2 gives another title, as in v1; none criminal. */
  readonly retitled: readonly JudgmentCase[];
  readonly #seed: number;
  readonly #byToken: ReadonlyMap<string, JudgmentCase>;

  constructor(options: CorpusOptions = {}) {
    const { seed = 1, cases: count = 4_300 } = options;
    if (!Number.isSafeInteger(count) || count < FEWEST_CASES) {
      const remedy = `Ask for at least ${FEWEST_CASES}: the first ${FIRST_PLAIN_INDEX} are special cases.`;
      throw new CurlewError(ErrorCode.usage, `A corpus of ${count} cases is too small.`, { remedy });
    }
    this.#seed = seed;
    const first = Array.from({ length: count }, (_, index) => judgmentCase(seed, index));
    this.added = laterCases(seed, count);
    this.cases = [...first, ...this.added];
    this.#byToken = new Map(this.cases.map((one) => [one.token, one]));
    const plain = shuffled(seed, first.slice(FIRST_PLAIN_INDEX)).filter((one) => !one.isCriminal && !hasMoreRows(one));
    this.removed = plain.slice(0, REMOVED);
    this.retitled = plain.slice(REMOVED, REMOVED + RETITLED);
  }

  /** The cases in this version, newest first, with the titles they have in it. */
  active(version: CorpusVersion): JudgmentCase[] {
    const first = this.cases.slice(0, this.cases.length - ADDED);
    if (version === 'v1') return first;
    const gone = version === 'v2' ? this.removed : this.removed.slice(1);
    const kept = first.filter((one) => !gone.includes(one));
    const titled = kept.map((one) => (this.retitled.includes(one) ? { ...one, title: `${one.title} (No 2)` } : one));
    return [...this.added, ...titled];
  }

  /** What a perfect mirror of this version fetches: the active cases that are not criminal. */
  wanted(version: CorpusVersion): JudgmentCase[] {
    return this.active(version).filter((one) => !one.isCriminal);
  }

  /** The rows of the index: more than there are cases, since some repeat a token or have none. */
  rows(version: CorpusVersion): IndexRow[] {
    return this.active(version).flatMap((one) => this.#rowsOf(one));
  }

  /** The case with exactly this token. */
  find(token: string): JudgmentCase | undefined {
    return this.#byToken.get(token);
  }

  /** The bytes of a case's file. */
  pdf(token: string): Buffer {
    return judgmentPdf(this.#seed, token);
  }

  /** Lower-case hex. */
  sha256(token: string): string {
    return createHash('sha256').update(this.pdf(token)).digest('hex');
  }

  #rowsOf(one: JudgmentCase): IndexRow[] {
    const { index, token } = one;
    const row = rowOf(one);
    const separator = PAIRS[index];
    const second = this.cases[index + 1];
    if (separator !== undefined && second !== undefined) {
      return [{ ...row, actions: `${token}${separator}${second.token}`, tokens: [token, second.token] }];
    }
    if (PAIRS[index - 1] !== undefined) return [];
    if (index === PADDED) return [{ ...row, actions: `  ${token}\u00A0` }];
    if (index === LONG_ROW) return [{ ...row, isLong: true }];
    if (index % REPEATED_EVERY === TWICE) return [row, row];
    if (index % PENDING_EVERY === PENDING) return [row, pendingRow(row, index)];
    if (index % REPEATED_EVERY === TWICE_DIFFERENTLY) return [row, { ...row, actions: `${token.toLowerCase()}%20` }];
    return [row];
  }
}

function laterCases(seed: number, count: number): JudgmentCase[] {
  const later: JudgmentCase[] = [];
  for (let index = count; later.length < ADDED; index++) {
    const one = judgmentCase(seed, index, ADDED - later.length);
    if (!one.isCriminal && !hasMoreRows(one)) later.push(one);
  }
  return later;
}

function rowOf(one: JudgmentCase): IndexRow {
  const { citation, causeNumber, dateText, title, subject, court, category, token } = one;
  const cells = { citation, causeNumber, dateText, title, subject, court, category };
  return { ...cells, actions: token.replaceAll('&', '&amp;'), tokens: [token], isLong: false };
}

/** A judgment that was announced but is not there: its last cell is empty, or missing. */
function pendingRow(row: IndexRow, index: number): IndexRow {
  const isShort = Math.floor(index / PENDING_EVERY) % 2 === 1;
  return { ...row, citation: '', causeNumber: `PENDING ${index}`, actions: isShort ? undefined : '', tokens: [] };
}

/** Whether it has more rows than one: such cases stay as they are in all versions. */
function hasMoreRows({ index }: JudgmentCase): boolean {
  return [TWICE, TWICE_DIFFERENTLY].includes(index % REPEATED_EVERY) || index % PENDING_EVERY === PENDING;
}

function shuffled(seed: number, cases: readonly JudgmentCase[]): JudgmentCase[] {
  const drawn = cases.map((one) => ({ one, at: chance(seed, 'shuffle', one.index).next() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ one }) => one);
}
