// The rule of speculation, as pure functions. It counts ids, never the order in which answers arrive: so which ids are
// found is a function of the site alone. How far a walk may go is in ledger/frontier.ts.

import { reachOf, type Walk } from '../ledger/frontier.ts';

/** Ids that may be asked for and have not been, at most `limit` of them: from `from` to `to`, or undefined for none. */
export function planProbes(walk: Walk, limit: number): { readonly from: number; readonly to: number } | undefined {
  const to = Math.min(reachOf(walk), walk.next + limit - 1);
  return to < walk.next ? undefined : { from: walk.next, to };
}

/** After the planned ids up to `to` were asked for. */
export function onAsked<W extends Walk>(walk: W, to: number): W {
  return { ...walk, next: to + 1 };
}

/** After a hit. A late one, below the highest, changes nothing; a higher one moves the frontier, also of a finished walk. */
export function onHit<W extends Walk>(walk: W, id: number): W {
  return id > (walk.highestHit ?? Number.NEGATIVE_INFINITY) ? { ...walk, highestHit: id } : walk;
}
