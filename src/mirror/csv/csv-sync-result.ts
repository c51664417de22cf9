// What a sync of the index came to.

import type { CaseId } from '../../ledger/mirror/case-row.ts';
import type { VersionId } from '../../ledger/mirror/csv-version.ts';
import type { DuplicateToken, UnreadableRow } from './read-index.ts';

/** What a sync came to: the version of the index that holds now, and what is different in it. */
export interface CsvSyncResult {
  /** The version to work from: the new one, the one that is current still, or the last good one. */
  readonly versionId: VersionId;
  readonly isNewVersion: boolean;
  readonly newCaseIds: readonly CaseId[];
  readonly changedCaseIds: readonly CaseId[];
  readonly removedCaseIds: readonly CaseId[];
  readonly returnedCaseIds: readonly CaseId[];
  /** The file of that version. */
  readonly csvPath: string;
  /** Set when what was fetched could not be used, and an earlier version is. */
  readonly refused: { readonly versionId: VersionId; readonly reason: string } | undefined;
  readonly duplicates: readonly DuplicateToken[];
  /** In what came now; empty when it had not changed. */
  readonly unreadable: readonly UnreadableRow[];
  /** What cannot be read in the version to work from, for people; undefined when all can be. */
  readonly unreadableRows: string | undefined;
}
