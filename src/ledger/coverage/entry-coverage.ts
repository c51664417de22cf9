// What a run can say about one entry: whether all that exists was looked at, how many items that is, and why it counts as
// complete.

import type { Verdict } from '../verdict.ts';

export const ENTRY_KINDS = ['links', 'sequence', 'list', 'index'] as const;
/** How an entry knows what exists: it follows links, probes ids, walks lists to their end, or reads a published index. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** What a run says about one of its entries. */
export interface EntryCoverage {
  readonly entry: string;
  readonly kind: EntryKind;
  /** Null for links: they claim nothing about what exists. */
  readonly complete: boolean | null;
  /** How many items there should be; null when nobody can say. */
  readonly expected: number | null;
  /** What became of them; a verdict that no item has is left out. */
  readonly verdicts: Readonly<Partial<Record<Verdict | 'pending', number>>>;
  /** Why it counts as complete, or why not, as a sentence without its full stop. */
  readonly statement: string;
}

/** The counts without those that are 0. */
export function withoutZeros(counts: EntryCoverage['verdicts']): EntryCoverage['verdicts'] {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
