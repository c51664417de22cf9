// What became of one claimed request: everything that is to become true at once when its page is committed.

import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { Judgement, ProbeVerdict } from './probe.ts';
import type { RequestSpec } from './request-spec.ts';
import type { Verdict } from './verdict.ts';

export type RequestId = number & { readonly brand: 'RequestId' };
export type HostId = number & { readonly brand: 'HostId' };
export type ExchangeId = number & { readonly brand: 'ExchangeId' };

/** A request on its way into the queue. */
export interface NewRequest {
  readonly spec: RequestSpec;
  /** host:port of its URL: the lane it goes into. */
  readonly host: string;
  readonly identity: Uint8Array;
  /** Hash of step and context. The same page asked for with another reading is a conflict worth telling. */
  readonly reading: number;
}

/** A request handed out to be worked on. */
export interface ClaimedRequest {
  readonly id: RequestId;
  readonly hostId: HostId;
  readonly identity: Uint8Array;
  readonly spec: RequestSpec;
  /** Attempts that were made and failed so far. */
  readonly attempts: number;
  /** Whether processes died while it was in their hands: its page may be the reason. */
  readonly isSuspect: boolean;
}

/** A record that was checked against its schema. Invalid ones are kept, with their errors. */
export interface NewRecord {
  readonly kind: string;
  readonly data: Json;
  /** What is wrong with it; undefined when it is valid. */
  readonly errors: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** An exchange that already lies in the archive. */
export interface NewExchange {
  readonly at: Instant;
  readonly durationMs: number;
  readonly url: string;
  readonly status: number;
  readonly bodySha256: Uint8Array;
  readonly bodySize: number;
  readonly filePath: string | undefined;
  readonly segment: number;
  readonly requestOffset: number;
  readonly requestLength: number;
  readonly responseOffset: number;
  readonly responseLength: number;
  /** The exchange that holds the same body, when this one does not. */
  readonly revisitOf: ExchangeId | undefined;
  /** The exchange that held the same body and is damaged: this one takes its place for all that refer to it. */
  readonly replaces?: ExchangeId | undefined;
}

export interface NewEvent {
  readonly kind: string;
  readonly data: Json;
}

export type Settlement =
  | {
      readonly kind: 'settled';
      readonly verdict: Verdict;
      readonly status: number | undefined;
      readonly reason: string | undefined;
    }
  /** An attempt failed; another is due later. */
  | { readonly kind: 'delayed'; readonly dueAt: Instant; readonly reason: string }
  /** No attempt that counts, but no use to try again before. */
  | { readonly kind: 'parked'; readonly dueAt: Instant; readonly reason: string }
  /** Goes back to the queue untouched. */
  | { readonly kind: 'returned' };

export interface PageResult {
  readonly request: ClaimedRequest;
  readonly settlement: Settlement;
  readonly exchanges: readonly NewExchange[];
  readonly records: readonly NewRecord[];
  readonly children: readonly NewRequest[];
  readonly events: readonly NewEvent[];
  /** For a settled probe: what it says about its id. */
  readonly probe: ProbeVerdict | undefined;
  /** What each speculator whose ids inherit says of the page; undefined when there are none, or no page. */
  readonly judged?: ReadonlyMap<string, Judgement> | undefined;
}

/** A probe on its way into the queue. */
export interface NewProbe {
  readonly id: number;
  readonly request: NewRequest;
}
