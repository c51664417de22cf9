// The gates before the cases are touched: an index that is empty, half or garbled must not wipe what is known. Pure.

import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VersionVerdict } from '../../ledger/mirror/mirror-ledger.ts';
import { diffCases } from './diff-cases.ts';
import type { ReadIndex } from './read-index.ts';

/** A larger share of the active cases vanishing at once is taken for a broken index. */
const MOST_VANISHING = 0.2;
/** A smaller share of readable rows is taken for a broken index. */
const LEAST_READABLE = 0.95;

export function judgeIndex(index: ReadIndex, known: readonly StoredCase[], acceptShrink: boolean): VersionVerdict {
  const { rowCount, unreadable } = index;
  if (rowCount === 0) return refused('it has a header and no rows');
  const readable = rowCount - unreadable.length;
  if (readable < LEAST_READABLE * rowCount) {
    const first = unreadable[0];
    const example = first === undefined ? '' : `, for example line ${first.line}: ${first.reason}`;
    return refused(`only ${readable} of ${rowCount} rows can be read${example}`);
  }
  const changes = diffCases(known, index.cases, index.unreadWords);
  const active = known.filter(({ isActive }) => isActive).length;
  if (!acceptShrink && changes.removed.length > MOST_VANISHING * active) {
    return refused(`${changes.removed.length} of ${active} active cases would vanish, more than 20 %`);
  }
  return { kind: 'accepted', changes };
}

function refused(reason: string): VersionVerdict {
  return { kind: 'refused', reason };
}
