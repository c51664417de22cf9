// The parts that a fetcher works with: on one machine (embedded/embedded-world.ts), or in a fleet (fleet-world.ts).

import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { EventLog } from './event-log.ts';
import type { FetcherBackend } from './fetcher-backend.ts';

export interface FetcherWorld {
  readonly backend: FetcherBackend;
  readonly politeness: SharedPoliteness;
  readonly eventLog: EventLog;
  /** Rejects with the reason when the log cannot be written. Apart from `eventLog`, so that asking disturbs no publishing. */
  checkLog(): Promise<void>;
  /** Set where nobody else keeps what is learnt about hosts. */
  readonly remember?: (unsaved: Unsaved) => void;
  /** When no request is under way any more. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
}
