// How current the index of a source is: which version is in use, when the site last confirmed it, and what was wrong with
// the last look at it. Whatever says how much is held says this too: all of an old index is not all.

import type { OddRows } from '../../ledger/mirror/csv-version.ts';
import { sayUnreadable } from '../../ledger/mirror/index-use.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { Instant } from '../../platform/clock.ts';

export interface IndexState {
  readonly source: string;
  /** `none`: no version could ever be used. `not_confirmed`: the last look brought nothing that could be used. */
  readonly state: 'none' | 'confirmed' | 'not_confirmed';
  /** The version in use. Null, as what follows, when there is none. */
  readonly csv_version_id: number | null;
  readonly row_count: number | null;
  /** Rows of it that no case could be made from, although they may have one; null when there are none. */
  readonly unreadable_rows: OddRows | null;
  /** Rows of it that name a case and no file; null when there are none. */
  readonly rows_without_file: OddRows | null;
  /** When its bytes came. ISO 8601, UTC, as the other times. */
  readonly fetched_at: string | null;
  /** When the site last gave the same bytes, or said that they have not changed. */
  readonly confirmed_at: string | null;
  /** Since it was confirmed. */
  readonly age_seconds: number | null;
  /** When the index was last asked for; null when it never was. */
  readonly checked_at: string | null;
  /** What the last look brought; null when that was good. */
  readonly problem: { readonly csv_version_id: number; readonly reason: string } | null;
}

export async function indexState(ledger: MirrorLedger, source: string, now: Instant): Promise<IndexState> {
  const check = await ledger.indexCheck(source);
  const used = check?.versionId == null ? undefined : await ledger.version(check.versionId);
  const refused = check?.refusedVersionId == null ? undefined : await ledger.version(check.refusedVersionId);
  const confirmedAt = check?.confirmedAt ?? null;
  return {
    source,
    state: used === undefined ? 'none' : refused === undefined ? 'confirmed' : 'not_confirmed',
    csv_version_id: used?.id ?? null,
    row_count: used?.rowCount ?? null,
    unreadable_rows: used?.unreadableRows ?? null,
    rows_without_file: used?.rowsWithoutFile ?? null,
    fetched_at: used?.fetchedAt ?? null,
    confirmed_at: confirmedAt,
    age_seconds: confirmedAt === null ? null : Math.max(0, Math.round((now - Date.parse(confirmedAt)) / 1_000)),
    checked_at: check?.checkedAt ?? null,
    problem: refused === undefined ? null : { csv_version_id: refused.id, reason: refused.errorMessage ?? '' },
  };
}

/** In words, without a full stop. */
export function sayIndexState(index: IndexState): string {
  const { csv_version_id: version, confirmed_at, age_seconds, checked_at, problem } = index;
  const failure = problem === null ? '' : `what came at ${checked_at} could not be used: ${problem.reason}`;
  if (version === null) return problem === null ? 'no index yet' : `there is no index: ${failure}`;
  const age = `version ${version} of the index, last confirmed by the site ${sayAge(age_seconds ?? 0)} ago (${confirmed_at})`;
  return [age, ...(problem === null ? [] : [failure]), ...sayOddRows(index)].join('; ');
}

/** What is not known by the version in use, and what it says is not there yet. */
function sayOddRows({ row_count, unreadable_rows: unreadable, rows_without_file: without }: IndexState): string[] {
  return [
    ...(unreadable === null ? [] : [sayUnreadable(unreadable, row_count)]),
    ...(without === null
      ? []
      : [
          `${without.count} row${without.count === 1 ? '' : 's'} of the index announce${without.count === 1 ? 's' : ''} ` +
            `a case without a file, for example line ${without.line}`,
        ]),
  ];
}

/** Of two units the larger that fits twice: 90 minutes are 90 min, and 36 hours are 36 h. */
function sayAge(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
