// What earlier runs of a scraper observed of its ids, for the next one to start from.

import type { Ledger } from '../ledger/ledger.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Observation, WalkStart } from './plan-walks.ts';

/** Empty when the run starts as declared. Throws `run_not_found` when there is nothing to start from. */
export async function observations(ledger: Ledger, scraper: string, start: WalkStart): Promise<Observation[]> {
  if (start === 'declared') return [];
  const last = await ledger.lastWalks(scraper);
  if (last.length > 0) return last;
  throw nothingObserved(scraper);
}

/** There is no earlier run to start from. */
export function nothingObserved(scraper: string): CurlewError {
  return new CurlewError(ErrorCode.runNotFound, `No completed run of ${scraper} has probed ids here.`, {
    remedy: 'Run it once without --from-last and --reprobe, or resume the run that was interrupted.',
  });
}
