// Times that people read in the tables stand there as ISO 8601 in UTC with milliseconds: they sort as text.

import type { Instant } from '../platform/clock.ts';

export function isoTime(at: Instant): string {
  return new Date(at).toISOString();
}

/** The moment that a column written by `isoTime` names. */
export function readIsoTime(column: unknown): Instant {
  return Date.parse(String(column));
}
