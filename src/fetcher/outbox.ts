// Events of stored pages on their way to the event log, in the order they became true. Bounded: when it is full, `store` says
// so and nothing is lost. One pump at a time empties it, under a lease, so that events of one URL cannot overtake each other.

import type { DeadLetterFacts } from './dead-letters.ts';
import type { LogPosition } from './event-log.ts';
import type { WebpageEvent } from './webpage-event.ts';

/** Events an outbox holds before fetching pauses. */
export const DEFAULT_OUTBOX_LIMIT = 100_000;

export interface OutboxEntry {
  /** Its place in the outbox. */
  readonly id: string;
  readonly event: WebpageEvent;
}

export type Taken =
  /** Another pump has the lease. */
  | { readonly kind: 'busy' }
  | {
      readonly kind: 'entries';
      /** The oldest, in order. They stay in the outbox until they are settled. */
      readonly entries: readonly OutboxEntry[];
      /** Set when an earlier attempt to publish was not settled: some of the entries may be in the log behind this position. */
      readonly unsureSince: LogPosition | undefined;
    };

export interface TakeRequest {
  readonly pump: string;
  readonly leaseMs: number;
  readonly limit: number;
}

export interface PublishingStart {
  readonly pump: string;
  /** From now on; publishing must be over by then. */
  readonly leaseMs: number;
  /** Where the log ends before anything of this attempt is in it. */
  readonly position: LogPosition;
}

export interface Settlement {
  readonly pump: string;
  /** They are in the log. */
  readonly published: readonly OutboxEntry[];
  /** The log will never take them: each becomes a dead letter. */
  readonly refused: readonly { readonly entry: OutboxEntry; readonly letter: DeadLetterFacts }[];
  /** How long the content of what was published stays in the cache from now on. */
  readonly cacheTtlMs: number;
}

/** How much may wait, in bytes. */
type OutboxRoom =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'bytes'; readonly bytes: number; readonly reason: string }
  /** Nothing may be stored. `reason` says why, and what to do. */
  | { readonly kind: 'none'; readonly reason: string };

export interface OutboxLevel {
  readonly events: number;
  readonly mostEvents: number;
  /** Of the pages whose events wait. */
  readonly bytes: number;
  readonly room: OutboxRoom;
}

export interface Outbox {
  size(): Promise<number>;
  /** What waits, and how much may at this moment. */
  level(): Promise<OutboxLevel>;
  /** Takes or renews the pump's lease. */
  take(request: TakeRequest): Promise<Taken>;
  /** To be said before anything is published: from now on the log has to be asked. False when the lease is lost. */
  beginPublishing(start: PublishingStart): Promise<boolean>;
  /** One step: entries are gone, refused ones are dead letters, and all is sure again. False when the lease is lost. */
  settle(settlement: Settlement): Promise<boolean>;
  /** Ends the pump's lease, if it still has it. */
  release(pump: string): Promise<void>;
}
