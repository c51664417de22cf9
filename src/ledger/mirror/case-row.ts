// A case as the ledger keeps it: what the index says about it, and since when.

import { textOrNull, type VersionId } from './csv-version.ts';

/** The number of a case in its data directory. */
export type CaseId = number & { readonly brand: 'CaseId' };

/** What an index says about a case. A blank cell is null. */
export interface CaseFields {
  readonly actionTokenRaw: string;
  /** Identity within the source. */
  readonly actionTokenNorm: string;
  readonly title: string | null;
  readonly causeNumber: string | null;
  readonly court: string | null;
  readonly category: string | null;
  readonly subject: string | null;
  readonly neutralCitation: string | null;
  /** `YYYY-MM-DD`, or as it stands in the index when it cannot be read. */
  readonly judgmentDate: string | null;
  /** JSON object of the columns that have no field here. */
  readonly otherJson: string | null;
  readonly isCriminal: boolean;
}

export interface StoredCase extends CaseFields {
  readonly id: CaseId;
  readonly source: string;
  readonly isActive: boolean;
  readonly firstSeenVersionId: VersionId;
  readonly lastSeenVersionId: VersionId;
}

/** The columns whose changes are history, by the field that holds them. */
export const TRACKED_COLUMNS = {
  actionTokenRaw: 'action_token_raw',
  title: 'title',
  causeNumber: 'cause_number',
  court: 'court',
  category: 'category',
  subject: 'subject',
  neutralCitation: 'neutral_citation',
  judgmentDate: 'judgment_date',
  otherJson: 'other_json',
} as const satisfies Partial<Record<keyof CaseFields, string>>;

export type TrackedField = keyof typeof TRACKED_COLUMNS;
type TrackedColumn = (typeof TRACKED_COLUMNS)[TrackedField];

export interface FieldChange {
  readonly field: TrackedColumn;
  readonly old: string | null;
  readonly new: string | null;
}

/** What a version of the index does to the cases of its source. */
export interface CaseChanges {
  readonly added: readonly CaseFields[];
  /** Cases that were known and are in the version. */
  readonly kept: readonly {
    readonly id: CaseId;
    readonly fields: CaseFields;
    readonly changes: readonly FieldChange[];
    /** Whether it had vanished before. */
    readonly returned: boolean;
  }[];
  readonly removed: readonly CaseId[];
}

export function readCase(row: Record<string, unknown>): StoredCase {
  return {
    id: Number(row.id) as CaseId,
    source: String(row.source),
    actionTokenRaw: String(row.action_token_raw),
    actionTokenNorm: String(row.action_token_norm),
    title: textOrNull(row.title),
    causeNumber: textOrNull(row.cause_number),
    court: textOrNull(row.court),
    category: textOrNull(row.category),
    subject: textOrNull(row.subject),
    neutralCitation: textOrNull(row.neutral_citation),
    judgmentDate: textOrNull(row.judgment_date),
    otherJson: textOrNull(row.other_json),
    isCriminal: Number(row.is_criminal) === 1,
    isActive: Number(row.is_active) === 1,
    firstSeenVersionId: Number(row.first_seen_version_id) as VersionId,
    lastSeenVersionId: Number(row.last_seen_version_id) as VersionId,
  };
}
