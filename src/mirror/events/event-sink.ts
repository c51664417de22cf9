// Where events go: first into the ledger, then into the log, so that nothing is logged that did not happen.

import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { ScraperLog } from './scraper-log.ts';

export type Emit = (event: MirrorEvent) => Promise<void>;

/** The writer of a run or, for what belongs to no run, the ledger. */
export interface EventStore {
  addEvent(event: MirrorEvent): Promise<void>;
}

/** `run` is the id of the run whose writer the store is. */
export function eventSink(store: EventStore, log: ScraperLog, run?: number): Emit {
  return async (event) => {
    await store.addEvent(event);
    log.write(event, run);
  };
}
