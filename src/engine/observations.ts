// What the last run of a scraper observed of its ids, for the next one to start from.

import { largestGapOf } from '../ledger/gap-map.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Observation, WalkStart } from './plan-walks.ts';

/** Empty when the run starts as declared. Throws `run_not_found` when there is no run to start from. */
export async function observations(
  ledger: Ledger,
  { name }: ScraperDefinition,
  start: WalkStart,
): Promise<Observation[]> {
  if (start === 'declared') return [];
  const last = await ledger.lastWalkedRun(name);
  if (last === undefined) {
    throw new CurlewError(ErrorCode.runNotFound, `No earlier run of ${name} has probed ids.`, {
      remedy: 'Run it once without --from-last and --reprobe.',
    });
  }
  const walks = await ledger.walksOf(last.id);
  return Promise.all(
    walks.map(async (walk) => ({
      walk,
      // A walk that began above an earlier frontier and found nothing new leaves that frontier as it was.
      highestObserved: walk.highestHit ?? (walk.holesOf === undefined ? undefined : walk.last),
      largestObservedGap: largestGapOf(await ledger.stretchesOf(walk.id)),
    })),
  );
}
