// Lists of cases in pages, with a stated total. A list can misbehave as real ones do; each way is a quirk.

import type { Docket } from './docket.ts';
import { type Listing, listPage } from './list-page.ts';

/**
 * `total`: the page states this total whatever it has. `loop`: the next link of page `from` leads to page `to`.
 * `insert`: from the page request after the `afterRequests`-th on, this case stands at the top, and all others shift.
 */
type ListQuirk =
  | { readonly kind: 'total'; readonly stated: number }
  | { readonly kind: 'loop'; readonly from: number; readonly to: number }
  | { readonly kind: 'insert'; readonly afterRequests: number; readonly id: number };

export interface CaseList {
  /** Its path is `/list/<name>`. */
  readonly name: string;
  /** Case ids in the order of the list. An id may stand in several lists. */
  readonly cases: readonly number[];
  readonly quirks?: readonly ListQuirk[];
}

const DEFAULT_LIST_LENGTH = 240;

/** `civil` and `criminal`: of each division the newest cases, at most 240. */
export function defaultLists(docket: Docket): CaseList[] {
  const newest = docket.publicIds().reverse();
  return (['civil', 'criminal'] as const).map((division) => {
    const cases = newest.filter((id) => docket.record(id).division === division);
    return { name: division, cases: cases.slice(0, DEFAULT_LIST_LENGTH) };
  });
}

export class CaseLists {
  readonly #docket: Docket;
  readonly #lists = new Map<string, CaseList>();
  readonly #requests = new Map<string, number>();

  constructor(docket: Docket, lists: readonly CaseList[]) {
    this.#docket = docket;
    for (const list of lists) this.set(list);
  }

  /** Adds a list or replaces the one of that name: a site is broken, or mended, between two runs. */
  set(list: CaseList): void {
    this.#lists.set(list.name, list);
    this.#requests.set(list.name, 0);
  }

  names(): string[] {
    return [...this.#lists.keys()];
  }

  /** The case ids of a list, without what quirks do to it. Empty for an unknown one. */
  cases(name: string): readonly number[] {
    return this.#lists.get(name)?.cases ?? [];
  }

  /** HTML of a page (the first is 1), or undefined when there is no such list. Counts the request. */
  page(name: string, page: number): string | undefined {
    const list = this.#lists.get(name);
    if (list === undefined) return undefined;
    const requests = (this.#requests.get(name) ?? 0) + 1;
    this.#requests.set(name, requests);
    return listPage(this.#docket, listingOf(list, requests), page);
  }
}

function listingOf({ name, cases, quirks = [] }: CaseList, requests: number): Listing {
  const inserted = quirks.flatMap((quirk) =>
    quirk.kind === 'insert' && requests > quirk.afterRequests ? [quirk.id] : [],
  );
  const all = [...inserted, ...cases];
  const loops = quirks.flatMap((quirk) => (quirk.kind === 'loop' ? [[quirk.from, quirk.to] as const] : []));
  return {
    heading: `List: ${name}`,
    cases: all,
    total: quirks.find((quirk) => quirk.kind === 'total')?.stated ?? all.length,
    pagePath: (page) => `/list/${name}?page=${page}`,
    jumps: new Map(loops),
  };
}
