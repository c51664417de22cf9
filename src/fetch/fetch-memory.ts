// What fetching learns and should remember over a restart. It is gathered here between two commits and written with the
// pages it belongs to; at the next start it is handed in again.

import type { HostState } from './host-gates.ts';
import type { RobotsRecord, RobotsStore } from './robots/robots-store.ts';
import type { SavedSessions } from './session/sessions.ts';

/** Worth telling about a host, beside what became of single requests. */
export type FetchEvent =
  | { readonly kind: 'breaker'; readonly host: string; readonly state: 'closed' | 'open'; readonly failures: number }
  | { readonly kind: 'retry_after'; readonly host: string; readonly until: number; readonly reason: string }
  | { readonly kind: 'robots_unreachable'; readonly origin: string; readonly reason: string; readonly inForce: string };

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

  takeChanged(): ReadonlyMap<string, RobotsRecord> {
    const changed = this.#changed;
    this.#changed = new Map();
    return changed;
  }
}
