// Where events go for good. Append only; what was appended can be read again by whoever is not sure whether it was.

import type { WebpageEvent } from './webpage-event.ts';

/** Where a log ended at some moment, in the log's own words. Everything published later lies behind it. */
export type LogPosition = string;

export interface Refusal {
  readonly eventId: string;
  /** `event_too_large`: over the limit of the broker. */
  readonly reason: 'event_too_large';
}

export interface EventLog {
  /** Rejects with the reason when the log cannot be written at this moment. */
  check(): Promise<void>;
  /** The end of the log. Rejects when the log is away, as `idsSince` does. */
  position(): Promise<LogPosition>;
  /** The ids of all events behind a position. */
  idsSince(position: LogPosition): Promise<ReadonlySet<string>>;
  /**
   * Appends in the given order, and resolves when all of it is safe; a log that goes away meanwhile is waited for. Gives those
   * the log will never take; they are left out. When it rejects, as it does when the signal aborts, any of the events may be
   * in the log or not: ask `idsSince`.
   */
  publish(events: readonly WebpageEvent[], signal: AbortSignal): Promise<readonly Refusal[]>;
  /** Twice is fine. */
  close(): Promise<void>;
}
