// The cases of a source as lists show them. Held means that the ledger has the hash of a file and the disk has the file, as in
// the coverage: so both count the same.

import type { Ledger } from '../../ledger/ledger.ts';
import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import { parseJudgmentDate } from '../../mirror/csv/parse-judgment-date.ts';
import { isInPlace } from '../../mirror/held-files.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CaseListRow } from '../contract/mirror.ts';
import type { InputOf } from '../contract/routes.ts';

type Query = InputOf<'listCases'>['query'];

const KEPT_MS = 2_000;
/** So long it may go unnoticed that a file was deleted, which the ledger does not know. */
const FILES_KEPT_MS = 10_000;

/** Read again at most every two seconds while something changes. */
export class CaseLists {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #pdfs: string;
  readonly #kept = new Map<string, { readonly version: number; readonly at: number; readonly rows: CaseListRow[] }>();

  constructor(data: string, ledger: Ledger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#pdfs = mirrorDirectory(data).pdfs;
  }

  async of(source: string): Promise<readonly CaseListRow[]> {
    const version = await this.#ledger.reports.version();
    const kept = this.#kept.get(source);
    const now = this.#clock.monotonic();
    const keptMs = kept?.version === version ? FILES_KEPT_MS : KEPT_MS;
    if (kept !== undefined && now - kept.at < keptMs) return kept.rows;
    const rows = (await this.#ledger.mirror.caseFacts(source)).map((facts) => tellCase(facts, this.#pdfs));
    this.#kept.set(source, { version, at: now, rows });
    return rows;
  }
}

/** How much of a source is held. Undefined when it has no cases. */
export function coverageOf(
  all: readonly CaseListRow[],
): { readonly cases_wanted: number; readonly cases_held: number } | undefined {
  if (all.length === 0) return undefined;
  const wanted = all.filter(({ active, criminal }) => active && !criminal);
  return { cases_wanted: wanted.length, cases_held: wanted.filter(({ state }) => state === 'held').length };
}

export function selectCases(
  all: readonly CaseListRow[],
  { state, search, sort, order }: Pick<Query, 'state' | 'search' | 'sort' | 'order'>,
  worklist: ReadonlySet<number> | undefined,
): CaseListRow[] {
  const wanted = search?.toLowerCase();
  const fitting = all.filter((row) => {
    if (worklist !== undefined && !worklist.has(row.id)) return false;
    if (state !== undefined && row.state !== state) return false;
    return wanted === undefined || textOf(row).includes(wanted);
  });
  const sign = order === 'asc' ? 1 : -1;
  return fitting
    .map((row) => ({ row, value: sortValue(row, sort) }))
    .sort((a, b) => {
      // What is not known comes last, whatever the order.
      if (a.value === null || b.value === null)
        return a.value === b.value ? a.row.id - b.row.id : a.value === null ? 1 : -1;
      return a.value === b.value ? a.row.id - b.row.id : a.value < b.value ? -sign : sign;
    })
    .map(({ row }) => row);
}

/** A date that cannot be read is as one that is not known: as text it would stand above or below all dates. */
function sortValue(row: CaseListRow, sort: Query['sort']): string | number | null {
  if (sort === 'judgmentDate') return parseJudgmentDate(row.judgmentDate ?? '') ?? null;
  const value = row[sort];
  return value === '' ? null : value;
}

function textOf({ title, causeNumber, neutralCitation, court, token, reason }: CaseListRow): string {
  return [title, causeNumber, neutralCitation, court, token, reason].join('\n').toLowerCase();
}

/** `pdfs`: where the files are. */
export function tellCase(facts: CaseFacts, pdfs: string): CaseListRow {
  const { case: known, last, held } = facts;
  const file = held !== undefined && isInPlace(pdfs, held) ? held : undefined;
  return {
    id: known.id,
    source: known.source,
    token: known.actionTokenNorm,
    title: known.title,
    causeNumber: known.causeNumber,
    neutralCitation: known.neutralCitation,
    court: known.court,
    category: known.category,
    subject: known.subject,
    judgmentDate: known.judgmentDate,
    criminal: known.isCriminal,
    active: known.isActive,
    state: caseState(facts, file !== undefined),
    reason: file === undefined ? (last?.errorCode ?? null) : null,
    lastRun: last?.runId ?? held?.runId ?? null,
    downloadedAt: file?.downloadedAt ?? null,
    sizeBytes: file?.sizeBytes ?? null,
    fileUrl: file === undefined ? null : `/files/${file.filePath}`,
  };
}

function caseState({ case: known, last, held }: CaseFacts, isThere: boolean): CaseListRow['state'] {
  if (isThere) return 'held';
  if (!known.isActive || known.isCriminal) return 'not_wanted';
  // A later attempt that failed does not change that there was a file.
  if (held !== undefined && (last === undefined || last.status === 'downloaded')) return 'file_missing';
  if (last === undefined) return 'never_tried';
  return last.status === 'downloaded' ? 'file_missing' : last.status;
}
