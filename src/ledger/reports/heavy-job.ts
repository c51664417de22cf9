// Reports that have to look at a whole run: worked off in a thread of their own, see heavy-reports.ts.

import { assertNever } from '../../platform/errors.ts';
import type { Json } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import type { GapMap } from '../gap-map.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredWalk } from '../probe.ts';
import type { Problem } from '../request-table.ts';
import type { RunId, RunSummary } from '../run.ts';
import { type Condition, type Listed, sortIds } from './list-rows.ts';

export type HeavyJob =
  | { readonly kind: 'summary'; readonly run: RunId }
  | { readonly kind: 'walks'; readonly run: RunId }
  | { readonly kind: 'problems'; readonly run: RunId }
  | {
      readonly kind: 'sort';
      readonly listed: Listed;
      readonly by: { readonly expression: Condition; readonly order: 'asc' | 'desc' };
    };

export interface HeavyAnswers {
  readonly summary: {
    readonly summary: RunSummary;
    readonly kinds: readonly { readonly kind: string; readonly total: number; readonly invalid: number }[];
  };
  readonly walks: readonly { readonly walk: StoredWalk; readonly waiting: number; readonly map: GapMap }[];
  readonly problems: readonly (Problem & { readonly detail: Json | undefined })[];
  /** Ids in their order. */
  readonly sort: Float64Array;
}

const MOST_PROBLEMS = 100;

export async function workOff(
  ledger: Ledger,
  database: Database,
  job: HeavyJob,
): Promise<HeavyAnswers[HeavyJob['kind']]> {
  switch (job.kind) {
    case 'summary':
      return { summary: await ledger.summary(job.run), kinds: await ledger.recordCountsByKind(job.run) };
    case 'walks':
      return Promise.all(
        (await ledger.walksOf(job.run)).map(async (walk) => ({
          walk,
          waiting: await ledger.waitingOf(walk.id),
          map: await ledger.gapMapOf(walk),
        })),
      );
    case 'problems':
      return ledger.problems(job.run, MOST_PROBLEMS);
    case 'sort':
      return sortIds(database, job.listed, job.by);
    default:
      return assertNever(job);
  }
}
