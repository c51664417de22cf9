// Which version of its index a mirror's run worked from, whether that was what the site had, and whether it can be read.

import type { RunId } from '../run.ts';
import type { CsvVersion, OddRows } from './csv-version.ts';
import type { CsvVersionTable } from './csv-version-table.ts';
import type { MirrorRunTable } from './mirror-run-table.ts';

/** The site had something else, which could not be used. */
export interface StaleIndex {
  /** The version that the run worked from. */
  readonly used: CsvVersion;
  readonly refused: CsvVersion;
}

export function staleIndexOf(
  { runs, versions }: { readonly runs: MirrorRunTable; readonly versions: CsvVersionTable },
  id: RunId,
): StaleIndex | undefined {
  const { csvVersionId, refusedVersionId } = runs.find(id) ?? {};
  if (csvVersionId == null || refusedVersionId == null) return undefined;
  const [used, refused] = [versions.find(csvVersionId), versions.find(refusedVersionId)];
  return used === undefined || refused === undefined ? undefined : { used, refused };
}

/** The version that the run worked from, if it has rows that cannot be read. */
export function unreadableIndexOf(
  { runs, versions }: { readonly runs: MirrorRunTable; readonly versions: CsvVersionTable },
  id: RunId,
): CsvVersion | undefined {
  const { csvVersionId } = runs.find(id) ?? {};
  const used = csvVersionId == null ? undefined : versions.find(csvVersionId);
  return used?.unreadableRows == null ? undefined : used;
}

/** In words, without a full stop. */
export function sayUnreadable({ count, line, reason }: OddRows, rowCount: number | null): string {
  return `${count} of ${rowCount} rows of the index cannot be read, for example line ${line}: ${reason}`;
}

/** For people: how many rows cannot be read, where, and what to do. Undefined when all can be. */
export function sayUnreadableRows({ unreadableRows: rows, ...version }: CsvVersion): string | undefined {
  if (rows === null) return undefined;
  return (
    `${sayUnreadable(rows, version.rowCount)}. ` +
    `Cases that stand only there are not known: look at ${version.filePath}, and ask the court to mend it.`
  );
}

/** One sentence for people: what could not be used, why, and what was used instead. */
export function sayStaleIndex({ used, refused }: StaleIndex): string {
  const reason = refused.errorMessage ?? 'no reason was stored';
  return (
    `The index could not be brought up to date: ${reason} (refused as version ${refused.id}). ` +
    `Version ${used.id}, fetched ${used.fetchedAt}, was used instead: cases that were added since are not known.`
  );
}
