// Notices a walk that would have no end: a site that redirects every unknown id to one page, such as its search, answers 200
// for all of them, and a speculator without `isReal` takes each for a hit. Counts ids, not answers as they arrive, so that it
// depends on the site alone. Which of the ids exist only the author can say: so it ends the run and decides nothing.

import type { Outcome } from '../fetch/outcome.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { StoredWalk, WalkId } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';

/** So many ids in a row, beyond the definite range, at one page are no coincidence. */
export const redirectsInARow = 20;

/** Ids of a walk that are remembered: more than can wait for their answers at once. */
const MOST_REMEMBERED = 4_000;

export class RedirectWatch {
  readonly #definition: ScraperDefinition;
  /** The last id of the definite range of each walk that could run on for ever. */
  readonly #lastDefinite: ReadonlyMap<WalkId, number>;
  /** Where ids of a walk were redirected to. */
  readonly #landed = new Map<WalkId, Map<number, string>>();

  constructor(definition: ScraperDefinition, walks: readonly StoredWalk[]) {
    this.#definition = definition;
    const unjudged = walks.filter(
      ({ speculator }) => definition.speculators.get(speculator)?.options.isReal === undefined,
    );
    this.#lastDefinite = new Map(unjudged.map(({ id, last }) => [id, last]));
  }

  /** Throws `endless_walk` when too many ids in a row have come to the same page. */
  note({ spec: { url, probe } }: Pick<ClaimedRequest, 'spec'>, outcome: Outcome): void {
    if (probe === undefined || outcome.kind !== 'ok' || outcome.response.url === url) return;
    if (probe.id <= (this.#lastDefinite.get(probe.walk) ?? Number.POSITIVE_INFINITY)) return;
    const page = withoutWayBack(outcome.response.url, url);
    const landed = this.#landedOf(probe.walk);
    landed.set(probe.id, page);
    const [first, last] = [-1, 1].map((step) => {
      let id = probe.id;
      while (landed.get(id + step) === page) id += step;
      return id;
    }) as [number, number];
    if (last - first + 1 < redirectsInARow) return;
    throw new CurlewError(
      ErrorCode.endlessWalk,
      `The ids ${first}–${last} of ${probe.speculator} in ${this.#definition.name} were all redirected to ${page}: ` +
        'each of them counts as a hit, so the walk would have no end.',
      {
        remedy:
          'If that page means that there is no such id, say so in isReal, as in (page) => page.url === page.requestUrl, and begin ' +
          'a new run. ' +
          'If these ids exist, give isReal: () => true, and maxProbes.',
      },
    );
  }

  #landedOf(walk: WalkId): Map<number, string> {
    const landed = this.#landed.get(walk) ?? new Map<number, string>();
    this.#landed.set(walk, landed);
    const [oldest] = landed.keys();
    if (oldest !== undefined && landed.size >= MOST_REMEMBERED) landed.delete(oldest);
    return landed;
  }
}

/** A login page is often given the address to go back to: that is another one for each id, and the page is the same. */
function withoutWayBack(landed: string, asked: string): string {
  const url = new URL(landed);
  const { pathname } = new URL(asked);
  for (const [name, value] of [...url.searchParams]) if (value.includes(pathname)) url.searchParams.delete(name);
  return url.href;
}
