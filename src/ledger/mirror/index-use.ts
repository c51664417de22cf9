// Which version of its index a mirror's run worked from, and whether that was what the site had.

import type { RunId } from '../run.ts';
import type { CsvVersion } from './csv-version.ts';
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

/** One sentence for people: what could not be used, why, and what was used instead. */
export function sayStaleIndex({ used, refused }: StaleIndex): string {
  const reason = refused.errorMessage ?? 'no reason was stored';
  return (
    `The index could not be brought up to date: ${reason} (refused as version ${refused.id}). ` +
    `Version ${used.id}, fetched ${used.fetchedAt}, was used instead: cases that were added since are not known.`
  );
}
