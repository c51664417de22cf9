// How much of a court's judgments is held, and for every one that is not the reason and what to do. Never green by
// accident: held means that the ledger has its hash and the disk has its file.

import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { Instant } from '../../platform/clock.ts';
import { errorCodeNamed, MIRROR_ERRORS } from '../error-codes.ts';
import { isInPlace } from '../held-files.ts';
import type { MirrorDirectory } from '../mirror-directory.ts';
import { type IndexState, indexState } from './index-state.ts';

interface MissingCase {
  readonly case_id: number;
  readonly actions_token: string;
  readonly title: string | null;
  readonly judgment_date: string | null;
  /** An error code, or `file_missing`, `never_attempted`, `never_begun`, `interrupted`. */
  readonly reason: string;
  readonly detail: string | null;
  readonly next_action: string;
}

export interface CorpusCoverage {
  readonly source: string;
  readonly cases_active: number;
  /** Active and criminal: listed, never fetched. */
  readonly cases_criminal: number;
  /** Known, and no longer in the index. */
  readonly cases_inactive: number;
  /** Active and not criminal. */
  readonly cases_wanted: number;
  /** Of those that are wanted. */
  readonly cases_held: number;
  /** Held, and criminal or no longer in the index: files that were fetched before the index said so. */
  readonly cases_held_not_wanted: number;
  /** Held ÷ wanted; 1 when nothing is wanted, 0 when there is no index to say what is. */
  readonly corpus_coverage: number;
  /** By which index, and how old that is. */
  readonly index: IndexState;
  /** Why each of the rest is not held. */
  readonly missing: readonly MissingCase[];
  /** Held and wanted, and the court failed to give the file when it was asked again: it may have other bytes by now. */
  readonly owed: readonly MissingCase[];
}

const FETCH = 'fetch it: curlew mirror run --mode new';
const RESUME = 'resume: curlew mirror run --mode resume';

export async function corpusCoverage(
  ledger: MirrorLedger,
  directory: MirrorDirectory,
  source: string,
  now: Instant,
): Promise<CorpusCoverage> {
  const facts = await ledger.caseFacts(source);
  const active = facts.filter((fact) => fact.case.isActive);
  const wanted = active.filter(isWanted);
  const isHeld = ({ held: file }: CaseFacts) => file !== undefined && isInPlace(directory.pdfs, file);
  const missing = wanted.filter((fact) => !isHeld(fact)).map(explainMissing);
  const held = wanted.length - missing.length;
  const index = await indexState(ledger, source, now);
  return {
    source,
    cases_active: active.length,
    cases_criminal: active.length - wanted.length,
    cases_inactive: facts.length - active.length,
    cases_wanted: wanted.length,
    cases_held: held,
    cases_held_not_wanted: facts.filter((fact) => !isWanted(fact) && isHeld(fact)).length,
    corpus_coverage: index.state === 'none' ? 0 : wanted.length === 0 ? 1 : held / wanted.length,
    index,
    missing,
    owed: wanted.filter((fact) => fact.isOwed && isHeld(fact)).map(explainMissing),
  };
}

function isWanted({ case: { isActive, isCriminal } }: CaseFacts): boolean {
  return isActive && !isCriminal;
}

export function explainMissing(fact: CaseFacts): MissingCase {
  const { id, actionTokenNorm, title, judgmentDate } = fact.case;
  const known = { case_id: id, actions_token: actionTokenNorm, title, judgment_date: judgmentDate };
  return { ...known, ...reasonOf(fact) };
}

function reasonOf({ held, last }: CaseFacts): Pick<MissingCase, 'reason' | 'detail' | 'next_action'> {
  switch (last?.status) {
    case undefined:
      return { reason: 'never_attempted', detail: null, next_action: FETCH };
    case 'pending':
      return { reason: 'never_begun', detail: `run ${last.runId} planned it and ended before`, next_action: RESUME };
    case 'in_progress':
      return { reason: 'interrupted', detail: `run ${last.runId} ended during the attempt`, next_action: RESUME };
    case 'downloaded':
      return { reason: 'file_missing', detail: held?.filePath ?? null, next_action: FETCH };
    case 'failed':
    case 'skipped': {
      const code = errorCodeNamed(last.errorCode ?? '') ?? 'internal_error';
      const detail = last.errorMessage ?? MIRROR_ERRORS[code].meaning;
      return { reason: code, detail, next_action: MIRROR_ERRORS[code].next };
    }
  }
}
