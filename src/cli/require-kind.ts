// A kind of records that is asked for by name, and that a run has.

import type { Ledger } from '../ledger/ledger.ts';
import type { RunId } from '../ledger/run.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';

/** Throws `usage` when the run has records, and none of that kind. */
export async function requireKind(ledger: Ledger, id: RunId, kind: string | undefined): Promise<void> {
  if (kind === undefined) return;
  const kinds = (await ledger.recordCountsByKind(id)).map((count) => count.kind);
  if (kinds.length === 0 || kinds.includes(kind)) return;
  throw new CurlewError(ErrorCode.usage, `Run ${id} has no records of the kind ${kind}.`, {
    remedy: `${didYouMean(kind, kinds)}Its kinds are: ${kinds.join(', ')}.`,
  });
}
