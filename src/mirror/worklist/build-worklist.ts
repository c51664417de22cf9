// The worklist of a run, from the ledger and the disk.

import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import type { VersionId } from '../../ledger/mirror/csv-version.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { normalizeActionToken } from '../csv/normalize-action-token.ts';
import { isInPlace } from '../held-files.ts';
import type { MirrorDirectory } from '../mirror-directory.ts';
import { caseNotFound, whyNeverFetched } from '../named-case.ts';
import type { ScrapeParams } from '../scrape-params.ts';
import { type InReason, type OutReason, planWorklist, type Worklist } from './plan-worklist.ts';

export interface WorklistContext {
  /** Of all cases of the source. */
  readonly facts: readonly CaseFacts[];
  readonly ledger: MirrorLedger;
  readonly directory: MirrorDirectory;
  readonly clock: Clock;
  readonly staleAfterMs: number;
  readonly versionId: VersionId;
  /** The run that is being planned; undefined for a dry run. */
  readonly ownRun: RunId | undefined;
}

export async function buildWorklist(
  params: Pick<ScrapeParams, 'mode' | 'targetSource' | 'resumeStrategy' | 'limit' | 'cases'>,
  context: WorklistContext,
): Promise<Worklist> {
  const { mode, targetSource: source, resumeStrategy: strategy, limit } = params;
  const { facts, ledger, directory, clock, staleAfterMs, versionId, ownRun } = context;
  const owned = new Set((await ledger.ownedRuns(source)).filter((run) => run !== ownRun));
  return planWorklist(facts, {
    mode,
    strategy,
    versionId,
    limit,
    cases: params.cases === undefined ? undefined : tokensOf(params.cases, facts, source),
    now: clock.now(),
    staleAfterMs,
    hasUnplannedRun: await ledger.hasUnplannedRun(source),
    isThere: (held) => isInPlace(directory.pdfs, held),
    isOwned: (run) => owned.has(run),
  });
}

/** Normalised. Throws `case_not_found` for one that the index has never had, and `usage` for one that is never fetched. */
function tokensOf(cases: readonly string[], facts: readonly CaseFacts[], source: string): ReadonlySet<string> {
  const known = new Map(facts.map((fact) => [fact.case.actionTokenNorm, fact.case]));
  return new Set(
    cases.map((token) => {
      const wanted = known.get(normalizeActionToken(token));
      if (wanted === undefined) throw caseNotFound(source, token);
      const obstacle = whyNeverFetched(wanted);
      if (obstacle !== null) throw new CurlewError(ErrorCode.usage, `${token} cannot be fetched: ${obstacle}`);
      return wanted.actionTokenNorm;
    }),
  );
}

/** How many cases there are for each reason, for the `PLAN` event. */
export function countReasons({ planned, leftOut }: Worklist): Partial<Record<InReason | OutReason, number>> {
  const counts: Partial<Record<InReason | OutReason, number>> = {};
  for (const { reason } of [...planned, ...leftOut]) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
