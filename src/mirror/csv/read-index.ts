// The bytes of an index as cases. Reads what can be read, and says of everything else what and where it is; it decides
// nothing about whether the whole is good enough.

import { CsvError, parse } from 'csv-parse/sync';
import type { CaseFields } from '../../ledger/mirror/case-row.ts';
import { decodeText } from '../../scraper/page/decode-text.ts';
import { type IndexColumns, type IndexField, type MatchedColumns, matchColumns } from './index-columns.ts';
import { isCriminal } from './is-criminal.ts';
import { normalizeActionToken } from './normalize-action-token.ts';
import { parseJudgmentDate } from './parse-judgment-date.ts';
import { splitTokens } from './split-tokens.ts';

/** Tokens that normalise alike: one case, made from the first. */
export interface DuplicateToken {
  readonly tokenNorm: string;
  /** As they stand in the index, in order. */
  readonly raw: readonly string[];
  /** Where they stand; the header is line 1. */
  readonly lines: readonly number[];
}

/**
 * A row of the index that no case could be made from. `no token`: the court announces a case without a file, so nothing
 * is missed; of all others nobody knows which case they are.
 */
export interface UnreadableRow {
  readonly line: number;
  readonly reason: 'no token' | 'invalid token' | 'token in another column' | 'more cells than columns';
}

export interface ReadIndex {
  readonly kind: 'read';
  /** Data rows, those that are wholly blank not counted. */
  readonly rowCount: number;
  readonly cases: readonly CaseFields[];
  readonly duplicates: readonly DuplicateToken[];
  readonly unreadable: readonly UnreadableRow[];
  /** The words of these rows, normalised as tokens are: a case whose token is among them is not gone. */
  readonly unreadWords: ReadonlySet<string>;
  /** Dates that were kept as they are. */
  readonly unreadDates: readonly { readonly line: number; readonly text: string }[];
}

export type IndexReading = ReadIndex | { readonly kind: 'unusable'; readonly reason: string };

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

export function readIndex(bytes: Uint8Array, contentType: string | undefined, columns: IndexColumns): IndexReading {
  const text = decodeCsv(bytes, contentType);
  if (/^\s*</.test(text)) return unusable('it is an HTML page, not a CSV');
  const rows = parseRows(text);
  if (typeof rows === 'string') return unusable(rows);
  const [header, ...data] = rows;
  if (header === undefined) return unusable('it is empty');
  const matched = matchColumns(header.cells, columns);
  if (matched.missing.length > 0) return unusable(`it has no column ${matched.missing.join(', ')}`);
  const last = data.at(-1);
  if (last !== undefined && isCutOff(text, last, header, matched)) {
    return unusable(`it is cut off: line ${last.line}, the last one, ends before the column Actions`);
  }
  return readRows(data, header.cells.length, matched);
}

function readRows(rows: readonly Row[], width: number, matched: MatchedColumns): ReadIndex {
  const cases = new Map<string, { fields: CaseFields; raw: string[]; lines: number[] }>();
  const unreadable: UnreadableRow[] = [];
  const unreadDates: { line: number; text: string }[] = [];
  const unreadWords = new Set<string>();
  for (const { line, cells } of rows) {
    // A comma that should have been quoted moves every cell behind it: what stands under `Actions` is then no token.
    if (cells.slice(width).some((cell) => cell.trim() !== '')) {
      unreadable.push({ line, reason: 'more cells than columns' });
      // A quote that is not closed makes several rows one, so a cell can hold the cells of another row.
      for (const word of cells.flatMap(wordsOf)) unreadWords.add(normalizeActionToken(word));
      continue;
    }
    const tokens = splitTokens(cellOf(cells, matched, 'actions') ?? '');
    const named = tokens.map((raw) => ({ raw, norm: normalizeActionToken(raw) })).filter(({ norm }) => norm !== '');
    if (named.length === 0) {
      const hasSlipped = cells.some((cell) => wordsOf(cell).some(looksLikeToken));
      const reason = tokens.length > 0 ? 'invalid token' : hasSlipped ? 'token in another column' : 'no token';
      unreadable.push({ line, reason });
      if (hasSlipped) for (const word of cells.flatMap(wordsOf)) unreadWords.add(normalizeActionToken(word));
      continue;
    }
    const { fields, unreadDate } = readFields(cells, matched);
    if (unreadDate !== undefined) unreadDates.push({ line, text: unreadDate });
    for (const { raw, norm } of named) {
      const known = cases.get(norm);
      if (known === undefined) {
        cases.set(norm, {
          fields: { ...fields, actionTokenRaw: raw, actionTokenNorm: norm },
          raw: [raw],
          lines: [line],
        });
      } else {
        known.raw.push(raw);
        known.lines.push(line);
      }
    }
  }
  const duplicates = [...cases]
    .filter(([, { lines }]) => lines.length > 1)
    .map(([tokenNorm, { raw, lines }]) => ({ tokenNorm, raw, lines }));
  const found = [...cases.values()].map(({ fields }) => fields);
  return { kind: 'read', rowCount: rows.length, cases: found, duplicates, unreadable, unreadWords, unreadDates };
}

function wordsOf(cell: string): string[] {
  return cell.split(/[\s,;|"]+/);
}

/** A cell that is missing or a quote that is not closed moves the token: no other column has such a word. */
function looksLikeToken(word: string): boolean {
  return /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{12,}$/.test(word);
}

function readFields(cells: readonly string[], matched: MatchedColumns) {
  const date = cellOf(cells, matched, 'judgmentDate');
  const iso = date === null ? undefined : parseJudgmentDate(date);
  const category = cellOf(cells, matched, 'category');
  const others = matched.others.map(([position, name]) => [name, cells[position] ?? ''] as const);
  const fields = {
    title: cellOf(cells, matched, 'title'),
    causeNumber: cellOf(cells, matched, 'causeNumber'),
    court: cellOf(cells, matched, 'court'),
    category,
    subject: cellOf(cells, matched, 'subject'),
    neutralCitation: cellOf(cells, matched, 'neutralCitation'),
    judgmentDate: iso ?? date,
    otherJson: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
    isCriminal: isCriminal(category),
  };
  return { fields, unreadDate: date !== null && iso === undefined ? date : undefined };
}

/**
 * A server that sends no length can stop in the middle of a row. The row then has no line break, and too few cells to
 * name a case: nobody knows how many rows should follow.
 */
function isCutOff(text: string, last: Row, header: Row, matched: MatchedColumns): boolean {
  const isShort = last.cells.length < header.cells.length;
  return isShort && cellOf(last.cells, matched, 'actions') === null && !/[\r\n]\s*$/.test(text);
}

/** The text of a field's cell; null when it is blank or not there. */
function cellOf(cells: readonly string[], { fields }: MatchedColumns, field: IndexField): string | null {
  const position = fields.get(field);
  const text = position === undefined ? '' : (cells[position] ?? '').replaceAll('\u00a0', ' ').trim();
  return text === '' ? null : text;
}

/** Spreadsheets save CSV as Windows-1252, and servers do not say so. */
function decodeCsv(bytes: Uint8Array, contentType: string | undefined): string {
  const { text, encoding } = decodeText(bytes, contentType);
  const isMisread = encoding === 'utf-8' && text.includes('\ufffd') && !/charset/i.test(contentType ?? '');
  return isMisread ? new TextDecoder('windows-1252').decode(bytes) : text;
}

/** The rows that are not wholly blank, or why the text is no CSV. */
function parseRows(text: string): Row[] | string {
  try {
    const options = {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      info: true,
    };
    const parsed = parse(text, options) as unknown as {
      readonly record: readonly string[];
      readonly info: { readonly lines: number };
    }[];
    return parsed
      .map(({ record, info }) => ({ line: info.lines, cells: record }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    if (error instanceof CsvError) return `it cannot be read as CSV: ${error.message}`;
    throw error;
  }
}

function unusable(reason: string): IndexReading {
  return { kind: 'unusable', reason };
}
