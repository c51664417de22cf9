// The rows of the requests of one page load. Each that left has one: an exchange of the outcome, or one of these events. What is
// no document has no exchange, and its row as soon as it has ended.

import type { Instant } from '../platform/clock.ts';
import { type FetchEvent, GIVEN_UP } from './fetch-memory.ts';
import type { FetchedExchange } from './outcome.ts';
import type { Departure } from './page-gate.ts';

/** A load that came to nothing. */
interface FailedLoad {
  readonly reason: string;
  readonly document: { readonly url: string; readonly at: Instant } | undefined;
}

export class PageRows {
  readonly #departures: Departure[] = [];
  #failed: FailedLoad | undefined;

  add(departure: Departure): void {
    this.#departures.push(departure);
  }

  /** Its row, if it is known now; it is not among `events` then. */
  ended(departure: Departure): FetchEvent | undefined {
    const index = departure.kind === 'part' ? this.#departures.indexOf(departure) : -1;
    if (index < 0) return undefined;
    this.#departures.splice(index, 1);
    return rowOf(departure);
  }

  /** The document of the load was answered perhaps, but not so that it could be used. */
  failed(load: FailedLoad): void {
    this.#failed = load;
  }

  /** This one has its row. Its URL may be another: scripts can change that, but not its host. */
  exchanged({ url, at }: Pick<FetchedExchange, 'url' | 'at'>): void {
    const { origin } = new URL(url);
    const index = this.#departures.findIndex((one) => one.at === at && one.url.origin === origin);
    if (index >= 0) this.#departures.splice(index, 1);
  }

  /** The rows of all the rest: the load is over. */
  takeRest(): FetchEvent[] {
    return this.#departures.splice(0).map((departure) => {
      const { document, reason } = this.#failed ?? {};
      const isFailed = document?.at === departure.at && document?.url === departure.url.href;
      return isFailed && reason !== undefined ? unanswered(departure, reason) : rowOf(departure);
    });
  }
}

/** The row of a request that has no exchange. */
export function rowOf(departure: Departure): FetchEvent {
  const { host, at, kind, url, end } = departure;
  const unheard = end?.kind === 'failure' ? end.reason : GIVEN_UP;
  const came = end?.kind === 'answer' ? String(end.status) : unheard;
  if (kind === 'document' && end?.kind !== 'answer') return unanswered(departure, came);
  return { kind: 'page_request', host, url: url.href, at, result: came };
}

function unanswered({ host, at, url }: Departure, reason: string): FetchEvent {
  return { kind: 'unanswered', host, url: url.href, at, reason };
}
