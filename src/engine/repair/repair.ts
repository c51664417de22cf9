// What became of damage that was to be repaired.

import type { RequestId } from '../../ledger/page-result.ts';
import type { RunId } from '../../ledger/run.ts';

/**
 * `repaired`: the same bytes are there again. `given_up`: an attempt before the answer that counts, which nothing reads.
 * `changed`: the site says something else now; that is kept beside, and the old stays a finding until it is accepted. `gone`: the site has it no
 * longer. `forbidden`: robots.txt does not allow it now. `failed`: it could not be had, or not yet.
 */
type RepairKind = 'repaired' | 'given_up' | 'changed' | 'gone' | 'forbidden' | 'failed';

export interface Repair {
  readonly kind: RepairKind;
  readonly url: string;
  readonly run: RunId | undefined;
  readonly request: RequestId | undefined;
  /** As the end of a sentence about it. */
  readonly why: string;
}

/** Whether nothing is left of the damage. */
export function isWhole({ kind }: Repair): boolean {
  return kind === 'repaired' || kind === 'given_up';
}
