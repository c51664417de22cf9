// What earlier runs of a scraper observed of its ids, for the next one to start from.

import type { KnownSequence } from '../ledger/known-ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { WalkStart } from './plan-walks.ts';

/**
 * What all runs of the scraper know together, from the same file as far as that is known. Empty when the run starts as
 * declared. Throws `run_not_found` when there is nothing to start from.
 */
export async function observations(
  ledger: Ledger,
  scraper: string,
  source: string | undefined,
  start: WalkStart,
): Promise<KnownSequence[]> {
  if (start === 'declared') return [];
  const known = await ledger.knownSequences(scraper, source);
  if (known.length > 0) return known;
  throw nothingObserved(scraper);
}

/** There is no earlier run to start from. */
export function nothingObserved(scraper: string): CurlewError {
  return new CurlewError(ErrorCode.runNotFound, `No run of ${scraper} has probed ids here.`, {
    remedy: 'Run it once without --from-last and --reprobe. Runs of another file do not count.',
  });
}
