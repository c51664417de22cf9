// Which ids the court has, and what it says to those it has not. A function of the options alone.

import { chance } from '../chance.ts';
import { type CaseRecord, caseRecord } from './case-record.ts';
import { containsId, type IdSet } from './id-set.ts';

/**
 * What the court answers for an id: `public` its page; `sealed` 403; `soft-missing` 200 with "Case not found";
 * `redirect-missing` a redirect to the search page; `absent` 404.
 */
export type Standing = 'public' | 'sealed' | 'soft-missing' | 'redirect-missing' | 'absent';

export interface DocketOptions {
  /** Default 1. */
  readonly seed?: number;
  /** Smallest id. Default 1. */
  readonly lowest?: number;
  /** Largest id. Default 500. */
  readonly highest?: number;
  /** Ids within that do not exist. A rule may change its mind between requests: late filings. Default none. */
  readonly holes?: IdSet;
  /** Share of the ids that do not exist either, chosen by the seed. Default 0. */
  readonly holeRate?: number;
  /** Ids that answer 403, also beyond `highest`. Default none. */
  readonly sealed?: IdSet;
  /** Ids that answer 200 and "Case not found", also beyond `highest`. Default none. */
  readonly softMissing?: IdSet;
  /** Ids that answer with a redirect to `/search?notfound=1`, also beyond `highest`. Default none. */
  readonly redirectMissing?: IdSet;
}

export class Docket {
  readonly #options: Required<DocketOptions>;

  constructor(options: DocketOptions) {
    this.#options = {
      seed: options.seed ?? 1,
      lowest: options.lowest ?? 1,
      highest: options.highest ?? 500,
      holes: options.holes ?? [],
      holeRate: options.holeRate ?? 0,
      sealed: options.sealed ?? [],
      softMissing: options.softMissing ?? [],
      redirectMissing: options.redirectMissing ?? [],
    };
  }

  standing(id: number): Standing {
    const { seed, lowest, highest, holes, holeRate, sealed, softMissing, redirectMissing } = this.#options;
    if (containsId(sealed, id)) return 'sealed';
    if (containsId(softMissing, id)) return 'soft-missing';
    if (containsId(redirectMissing, id)) return 'redirect-missing';
    if (id < lowest || id > highest || containsId(holes, id)) return 'absent';
    return holeRate > 0 && chance(seed, 'hole', id).next() < holeRate ? 'absent' : 'public';
  }

  /** The case with this id as it would be, whatever its standing. */
  record(id: number): CaseRecord {
    return caseRecord(this.#options.seed, id);
  }

  /** Ascending. */
  publicIds(): number[] {
    const { lowest, highest } = this.#options;
    const ids: number[] = [];
    for (let id = lowest; id <= highest; id++) if (this.standing(id) === 'public') ids.push(id);
    return ids;
  }

  /** The nearest public case below (`-1`) or above (`1`) an id. */
  neighbour(id: number, direction: -1 | 1): number | undefined {
    const { lowest, highest } = this.#options;
    for (let next = id + direction; next >= lowest && next <= highest; next += direction) {
      if (this.standing(next) === 'public') return next;
    }
    return undefined;
  }

  /** Up to three public cases with lower ids. */
  related(id: number): number[] {
    const { seed, lowest } = this.#options;
    const random = chance(seed, 'related', id);
    const drawn = Array.from({ length: 3 }, () => lowest + Math.floor(random.next() * (id - lowest)));
    return [...new Set(drawn)].filter((other) => other < id && this.standing(other) === 'public');
  }
}
