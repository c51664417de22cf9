// How far a check has come: for progress, and for the line that says what was looked at and what was not.

import type { IntegrityDepth } from '../../ledger/fixity/fixity-ledger.ts';

/** How many there are, and how many of them were looked at. */
export interface Share {
  total: number;
  checked: number;
}

/** Grows while the check goes on. */
export interface Checked {
  /** Undefined when the ledger cannot be read: then only what can be checked without it is. */
  ledger: IntegrityDepth | undefined;
  readonly segments: Share;
  /** Pages and downloads: two records in the archive each. */
  readonly exchanges: Share;
  /** Downloads of scrapers: as many as there are exchanges with one. */
  readonly downloads: Share;
  /** Versions of the files of a mirror's cases, and of its indexes. */
  readonly mirrorFiles: Share;
  /** Exchanges that are marked as lost, and that nobody has to do anything about. */
  readonly known: { replaced: number; givenUp: number };
  findings: number;
}

export function nothingChecked(): Checked {
  const none = (): Share => ({ total: 0, checked: 0 });
  return {
    ledger: undefined,
    segments: none(),
    exchanges: none(),
    downloads: none(),
    mirrorFiles: none(),
    known: { replaced: 0, givenUp: 0 },
    findings: 0,
  };
}
