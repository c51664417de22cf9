// What there is of a site to continue with: a walk that is not committed, or else its latest run if that is not completed.

import type { Ledger } from '../../ledger/ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import { type RunState, stateNow } from '../state-now.ts';

export type Kept =
  | { readonly kind: 'walk' }
  | { readonly kind: 'run'; readonly run: RunId; readonly state: RunState }
  | { readonly kind: 'nothing' };

export async function whatIsKept(ledger: Ledger, domain: string): Promise<Kept> {
  if ((await ledger.sites.partialRun(domain)) !== undefined) return { kind: 'walk' };
  const run = await ledger.latestOfSite(domain);
  if (run === undefined) return { kind: 'nothing' };
  const state = await stateNow(ledger, run);
  return state === 'completed' ? { kind: 'nothing' } : { kind: 'run', run: run.id, state };
}
