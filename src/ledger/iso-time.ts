// Times that people read in the tables stand there as ISO 8601 in UTC with milliseconds: they sort as text.

import type { Instant } from '../platform/clock.ts';

export function isoTime(at: Instant): string {
  return new Date(at).toISOString();
}

/** The moment that a column written by `isoTime` names; one that cannot be read is shown as 1970. */
export function readIsoTime(column: unknown): Instant {
  const at = Date.parse(String(column));
  return Number.isNaN(at) ? 0 : at;
}
