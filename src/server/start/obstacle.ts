// Why something cannot be started just now, although nothing is wrong with it: somebody works on it already.

import type { Ledger } from '../../ledger/ledger.ts';
import type { Startable } from '../contract/start.ts';

/** As a sentence; null when it can be started. */
export async function whyNotNow(
  { mirror, reports }: Ledger,
  { kind, name }: Pick<Startable, 'kind' | 'name'>,
): Promise<Startable['busy']> {
  if (kind === 'mirror') {
    const [run] = await mirror.ownedRuns(name);
    return run === undefined ? null : { text: `Run ${run} of it is on.`, run };
  }
  if (kind !== 'site' || (await reports.ownerOfWalk(name)).state !== 'alive') return null;
  return { text: 'Its lists are being walked.', run: null };
}
