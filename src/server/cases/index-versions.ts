// Versions of an index as the API shows them, with what each changed.

import { NO_CHANGES } from '../../ledger/mirror/case-history-table.ts';
import type { CsvVersion } from '../../ledger/mirror/csv-version.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { IndexVersion } from '../contract/index-versions.ts';
import { cleanText } from '../http/clean.ts';

export async function tellVersions(mirror: MirrorLedger, versions: readonly CsvVersion[]): Promise<IndexVersion[]> {
  const changes = await mirror.changesOf(versions.map(({ id }) => id));
  return versions.map(({ id, source, fetchedAt, sha256, rowCount, unreadableRows, errorMessage }) => {
    const { added, removed, changed } = changes.get(id) ?? NO_CHANGES;
    return {
      id,
      source,
      fetched_at: fetchedAt,
      sha256,
      row_count: rowCount,
      unreadable_rows: unreadableRows,
      valid: errorMessage === null,
      error_message: cleanText(errorMessage ?? undefined),
      new_count: added,
      removed_count: removed,
      changed_count: changed,
    };
  });
}
