// What fetching learns and should remember over a restart. It is gathered here between two commits and written with the
// pages it belongs to; at the next start it is handed in again.

import type { Instant } from '../platform/clock.ts';
import type { HostState } from './host-state.ts';
import type { RobotsWarning } from './robots/robots-policy.ts';
import type { RobotsRecord, RobotsStore } from './robots/robots-store.ts';
import type { SavedSessions } from './session/sessions.ts';

/** Worth telling, beside the exchanges of single requests: together they name every request that left. */
export type FetchEvent = HostEvent | FetchLimits;

/** How a process works from now on: what it may ask of a host, and by which name. */
interface FetchLimits {
  readonly kind: 'limits';
  readonly at: Instant;
  /** Requests per second to one host. */
  readonly rate: number | 'off';
  readonly robots: 'allow' | 'strict' | 'off';
  readonly userAgent: string;
}

export type HostEvent = OfHost &
  (
    | { readonly kind: 'breaker'; readonly state: 'closed' | 'open'; readonly failures: number }
    /** Nothing more is asked of it before `until`; without that, it has not answered so far and is asked again. */
    | { readonly kind: 'waiting'; readonly until?: Instant; readonly reason: string }
    /** It was not reached in time, and is not asked any more in this run. */
    | { readonly kind: 'given_up'; readonly reason: string }
    | { readonly kind: 'retry_after'; readonly until: Instant; readonly reason: string }
    /** A request that got no usable answer, and so has no exchange. */
    | { readonly kind: 'unanswered'; readonly url: string; readonly reason: string }
    /** A request whose exchange nobody keeps; `result` is the status. */
    | { readonly kind: 'answered'; readonly url: string; readonly result: string }
    /** What a page in the browser asked for, and has no exchange; `result` is the status or what went wrong. */
    | { readonly kind: 'page_request'; readonly url: string; readonly result: string }
    /** What Curlew asked for its own sake; `result` is the status or what went wrong. */
    | { readonly kind: 'robots_request' | 'probe_request'; readonly url: string; readonly result: string }
    /** A robots.txt came into force for the run, fetched now or earlier. `text` is absent when there is none. */
    | {
        readonly kind: 'robots';
        readonly origin: string;
        readonly found: RobotsRecord['kind'];
        readonly fetchedAt: Instant;
        readonly reason: string;
        readonly text?: string;
      }
    | {
        readonly kind: 'robots_unreachable';
        readonly origin: string;
        readonly reason: string;
        readonly inForce: RobotsWarning['inForce'];
      }
  );

/** `host` is `host:port`, or the name of a proxy without its password; `at` is when a request left, or a thing happened. */
interface OfHost {
  readonly host: string;
  readonly at: Instant;
}

/** The reason of a request that left, and whose answer nobody waited for. */
export const GIVEN_UP = 'given up before it was answered';

/** What earlier processes remembered. */
export interface FetchMemory {
  readonly sessions: SavedSessions;
  readonly hosts: ReadonlyMap<string, HostState>;
  /** By origin. */
  readonly robots: ReadonlyMap<string, RobotsRecord>;
}

export const NO_MEMORY: FetchMemory = { sessions: {}, hosts: new Map(), robots: new Map() };

/** What changed since it was last taken. */
export interface Unsaved {
  readonly sessions: SavedSessions | undefined;
  /** What is known of declared sessions, where there are some. */
  readonly opened?: object | undefined;
  readonly hosts: ReadonlyMap<string, HostState>;
  readonly robots: ReadonlyMap<string, RobotsRecord>;
  readonly events: readonly FetchEvent[];
}

/** Robots records in memory, with those that are new. */
export class RememberedRobots implements RobotsStore {
  readonly #records: Map<string, RobotsRecord>;
  #changed = new Map<string, RobotsRecord>();

  constructor(records: ReadonlyMap<string, RobotsRecord>) {
    this.#records = new Map(records);
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin);
  }

  async set(origin: string, record: RobotsRecord): Promise<void> {
    this.#records.set(origin, record);
    this.#changed.set(origin, record);
  }

  alone<T>(_origin: string, _signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return work();
  }

  takeChanged(): ReadonlyMap<string, RobotsRecord> {
    const changed = this.#changed;
    this.#changed = new Map();
    return changed;
  }
}
