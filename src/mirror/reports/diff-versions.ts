// What changed between any two versions of an index, from the history of the cases alone.

import type { HistoryRow } from '../../ledger/mirror/case-history-table.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { CsvVersion, VersionId } from '../../ledger/mirror/csv-version.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';

/** A case, as it is known now. */
interface DiffCase {
  readonly case_id: number;
  readonly actions_token: string;
  readonly title: string | null;
  readonly cause_number: string | null;
  readonly judgment_date: string | null;
  readonly is_criminal: boolean;
}

interface ChangedCase extends DiffCase {
  readonly fields: readonly { readonly field: string; readonly old: string | null; readonly new: string | null }[];
}

export interface VersionDiff {
  readonly from_version_id: number;
  readonly to_version_id: number;
  /** In the second and not in the first; those that had been there earlier have `returned`. */
  readonly new_cases: readonly (DiffCase & { readonly returned: boolean })[];
  readonly removed_cases: readonly DiffCase[];
  readonly changed_cases: readonly ChangedCase[];
}

export interface CaseDiff {
  readonly csv_version_id: number;
  readonly new_count: number;
  readonly removed_count: number;
  readonly new_cases: VersionDiff['new_cases'];
  readonly removed_cases: readonly DiffCase[];
}

/** In either order. Throws `csv_version_not_found`, and `usage` for versions of two sources. */
export async function diffVersions(ledger: MirrorLedger, from: number, to: number): Promise<VersionDiff> {
  const [first, second] = [await requireVersion(ledger, from), await requireVersion(ledger, to)];
  if (first.source !== second.source) {
    throw new CurlewError(
      ErrorCode.usage,
      `Version ${from} is of ${first.source}, version ${to} of ${second.source}.`,
      {
        remedy: 'Compare two versions of one source.',
      },
    );
  }
  const forward = await diffForward(ledger, first.source, Math.min(from, to), Math.max(from, to));
  return from <= to ? forward : reverse(forward);
}

/** What a version changed against the one that was used before it. Throws `csv_version_not_found`. */
export async function diffWithBefore(ledger: MirrorLedger, version: number): Promise<VersionDiff> {
  const { id, source } = await requireVersion(ledger, version);
  return diffForward(ledger, source, id - 1, id);
}

/** The same, in the shape that pipelines know. Throws `csv_version_not_found`. */
export async function caseDiff(ledger: MirrorLedger, version: number): Promise<CaseDiff> {
  const { to_version_id: id, new_cases, removed_cases } = await diffWithBefore(ledger, version);
  return {
    csv_version_id: id,
    new_count: new_cases.length,
    removed_count: removed_cases.length,
    new_cases,
    removed_cases,
  };
}

async function requireVersion(ledger: MirrorLedger, id: number): Promise<CsvVersion> {
  const version = await ledger.version(id);
  if (version !== undefined) return version;
  throw new CurlewError(ErrorCode.versionNotFound, `There is no version ${id} of an index in this data directory.`, {
    remedy: 'curlew mirror sync says which version is current.',
  });
}

async function diffForward(ledger: MirrorLedger, source: string, after: number, upTo: number): Promise<VersionDiff> {
  const rows = await ledger.historyBetween(source, after as VersionId, upTo as VersionId);
  const diff = { new_cases: [], removed_cases: [], changed_cases: [] } as {
    new_cases: VersionDiff['new_cases'][number][];
    removed_cases: DiffCase[];
    changed_cases: ChangedCase[];
  };
  for (const [first, ...more] of Map.groupBy(rows, ({ row }) => row.caseId).values()) {
    if (first === undefined) continue;
    const known = describe(first.case);
    const history = [first, ...more].map(({ row }) => row);
    const before = wasThere(history);
    const now = isThere(history);
    if (now && !before) diff.new_cases.push({ ...known, returned: history[0]?.change !== 'added' });
    if (before && !now) diff.removed_cases.push(known);
    const fields = before && now ? netChanges(history) : [];
    if (fields.length > 0) diff.changed_cases.push({ ...known, fields });
  }
  return { from_version_id: after, to_version_id: upTo, ...diff };
}

/** Whether the case was in the index before this stretch of its history: its first coming or going tells. */
function wasThere(history: readonly HistoryRow[]): boolean {
  const first = history.find(({ change }) => change !== 'changed')?.change;
  return first === undefined || first === 'removed';
}

function isThere(history: readonly HistoryRow[]): boolean {
  const last = history.findLast(({ change }) => change !== 'changed')?.change;
  return last !== 'removed';
}

/** A field that was changed and changed back is as it was. */
function netChanges(history: readonly HistoryRow[]): ChangedCase['fields'][number][] {
  const changes = history.filter(({ change }) => change === 'changed');
  return [...Map.groupBy(changes, ({ field }) => field ?? '')]
    .map(([field, rows]) => ({ field, old: rows[0]?.old ?? null, new: rows.at(-1)?.new ?? null }))
    .filter((change) => change.old !== change.new);
}

function reverse(diff: VersionDiff): VersionDiff {
  return {
    from_version_id: diff.to_version_id,
    to_version_id: diff.from_version_id,
    new_cases: diff.removed_cases.map((known) => ({ ...known, returned: false })),
    removed_cases: diff.new_cases.map(({ returned: _, ...known }) => known),
    changed_cases: diff.changed_cases.map(({ fields, ...known }) => ({
      ...known,
      fields: fields.map((change) => ({ field: change.field, old: change.new, new: change.old })),
    })),
  };
}

function describe(known: StoredCase): DiffCase {
  return {
    case_id: known.id,
    actions_token: known.actionTokenNorm,
    title: known.title,
    cause_number: known.causeNumber,
    judgment_date: known.judgmentDate,
    is_criminal: known.isCriminal,
  };
}
