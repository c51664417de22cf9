// A text that several processes change: each reads it, decides, and writes only if nobody else has written since. The
// decision stays with the reader; where the text is kept, and whose time counts, is the implementation's affair.

import type { Clock, Instant } from '../../platform/clock.ts';

export interface Reading {
  /** Undefined when there is none. */
  readonly text: string | undefined;
  /** The time that all who share the value go by, in ms. */
  readonly now: Instant;
}

export interface SharedValue {
  readonly clock: Clock;
  /** Waits for an answer where it has to be asked for. Rejects with the signal's reason on abort. */
  read(signal: AbortSignal): Promise<Reading>;
  /** Undefined when there is no answer in time. Does not reject. */
  readOnce(): Promise<Reading | undefined>;
  /** Gives what is there afterwards: `next`, if nobody had written since `last` was read. No two writers may write the same. */
  replace(last: string | undefined, next: string, signal: AbortSignal): Promise<Reading>;
  /** Does what nobody waits for, with a signal for how long there is time. Resolves when it has ended, however. */
  soon(work: (signal: AbortSignal) => Promise<unknown>): Promise<void>;
}
