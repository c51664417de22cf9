// Which cases a run fetches, and for every other why not. Pure. What was capped, failed or never begun stays wanted until
// its file is held: a run that ends early loses nothing. So does the newer file of a held case that the court failed to give.

import type { CaseFacts, LastDownload } from '../../ledger/mirror/case-facts.ts';
import type { HeldFile } from '../../ledger/mirror/case-file-table.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VersionId } from '../../ledger/mirror/csv-version.ts';
import type { Mode } from '../../ledger/mirror/mirror-run.ts';
import type { Instant } from '../../platform/clock.ts';
import type { ResumeStrategy } from '../scrape-params.ts';

export type InReason =
  /** First seen in the version that the run works from. */
  | 'new_in_version'
  /** Known before, and not held yet. */
  | 'left_over'
  /** It was held, and its file is gone. */
  | 'file_missing'
  /** It is held: the court is asked whether it has other bytes by now. */
  | 'recheck'
  | 'failed_before'
  /** Begun by a run that is not there any more. */
  | 'stale_in_progress'
  /** Planned, and never begun. */
  | 'never_begun'
  /** Meant for a run that ended before it had a worklist. */
  | 'never_planned'
  /** Named by whoever started the run; it is fetched again if it is held. */
  | 'asked_for';

export type OutReason =
  | 'inactive'
  | 'criminal'
  | 'already_downloaded'
  /** Beyond the limit of the run. */
  | 'limit'
  /** Another process works on it. */
  | 'in_progress'
  /** A resume of that strategy does not take it up. */
  | 'not_resumed'
  /** The run is for other cases, which are named. */
  | 'not_asked_for';

interface PlannedCase {
  readonly case: StoredCase;
  readonly reason: InReason;
}

interface LeftOutCase {
  readonly case: StoredCase;
  readonly reason: OutReason;
}

export interface Worklist {
  /** In the order in which the cases came to be known; rechecks last, those first that were checked longest ago. */
  readonly planned: readonly PlannedCase[];
  readonly leftOut: readonly LeftOutCase[];
}

export interface WorklistWish {
  readonly mode: Mode;
  readonly strategy: ResumeStrategy;
  readonly versionId: VersionId;
  readonly limit: number | undefined;
  /** Normalised tokens of the only cases to be fetched; undefined: what the mode says. */
  readonly cases?: ReadonlySet<string> | undefined;
  readonly now: Instant;
  /** Age at which an attempt that never ended is taken up again. */
  readonly staleAfterMs: number;
  /** Whether the last run that was to fetch something ended before it had a worklist. */
  readonly hasUnplannedRun: boolean;
  /** Whether the file that the ledger knows is on the disk. */
  readonly isThere: (held: HeldFile) => boolean;
  /** Whether the process that works on the run lives. */
  readonly isOwned: (run: LastDownload['runId']) => boolean;
}

export function planWorklist(facts: readonly CaseFacts[], wish: WorklistWish): Worklist {
  const planned: PlannedCase[] = [];
  const leftOut: LeftOutCase[] = [];
  const judged = facts.map((fact) => ({ ...fact, verdict: judge(fact, wish) }));
  for (const { verdict, ...fact } of judged.toSorted(byUrgency)) {
    if (verdict.kind === 'out') leftOut.push({ case: fact.case, reason: verdict.reason });
    else if (planned.length === wish.limit) leftOut.push({ case: fact.case, reason: 'limit' });
    else planned.push({ case: fact.case, reason: verdict.reason });
  }
  return { planned, leftOut };
}

/** Sorting keeps the order of equals. A limit cuts off rechecks before anything else, and the next run does those. */
function byUrgency(one: CaseFacts & { verdict: Verdict }, other: CaseFacts & { verdict: Verdict }): number {
  const [a, b] = [one, other].map(({ verdict, held }) =>
    verdict.reason === 'recheck' ? Date.parse(held?.checkedAt ?? '') : 0,
  ) as [number, number];
  return a - b;
}

type Verdict =
  | { readonly kind: 'in'; readonly reason: InReason }
  | { readonly kind: 'out'; readonly reason: OutReason };

function judge(fact: CaseFacts, wish: WorklistWish): Verdict {
  const { case: wanted, held, last } = fact;
  if (wish.cases !== undefined && !wish.cases.has(wanted.actionTokenNorm)) return out('not_asked_for');
  if (!wanted.isActive) return out('inactive');
  if (wanted.isCriminal) return out('criminal');
  if (wish.cases !== undefined) return into('asked_for');
  const isHeld = held !== undefined && wish.isThere(held);
  if (isHeld && wish.mode === 'full') return into('recheck');
  const isResume = wish.mode === 'resume' && wish.strategy !== 'none';
  if (isHeld && !isResume && fact.isOwed) return into('failed_before');
  // What a full run planned and did not finish is taken up again, although a file is held.
  if (isHeld && !(isResume && isUnfinished(last))) return out('already_downloaded');
  if (!isResume) return afresh(fact, wish);
  return resume(fact, last, wish);
}

function isUnfinished(last: LastDownload | undefined): boolean {
  return last?.status === 'failed' || last?.status === 'pending' || last?.status === 'in_progress';
}

/** What is not held. */
function afresh({ case: wanted, held }: CaseFacts, { versionId }: WorklistWish): Verdict {
  if (held !== undefined) return into('file_missing');
  return into(wanted.firstSeenVersionId === versionId ? 'new_in_version' : 'left_over');
}

function resume({ held }: CaseFacts, last: LastDownload | undefined, wish: WorklistWish): Verdict {
  const { strategy } = wish;
  const redoes = strategy === 'redo_in_progress' || strategy === 'auto';
  const retries = strategy === 'retry_failed_only' || strategy === 'auto';
  if (last?.status === 'failed' && retries) return into('failed_before');
  if (last?.status === 'in_progress' && redoes)
    return isStale(last, wish) ? into('stale_in_progress') : out('in_progress');
  if (last?.status === 'pending' && redoes) return into('never_begun');
  if (last?.status === 'downloaded' && held !== undefined && strategy === 'auto') return into('file_missing');
  if (last === undefined && strategy === 'auto' && wish.hasUnplannedRun) return into('never_planned');
  return out('not_resumed');
}

/** An attempt whose owner is dead, or that began so long ago that nobody can be at it. */
function isStale({ runId, lastAttemptAt }: LastDownload, { now, staleAfterMs, isOwned }: WorklistWish): boolean {
  return !isOwned(runId) || lastAttemptAt === null || now - Date.parse(lastAttemptAt) >= staleAfterMs;
}

function into(reason: InReason): Verdict {
  return { kind: 'in', reason };
}

function out(reason: OutReason): Verdict {
  return { kind: 'out', reason };
}
