// Retry-After (RFC 9110 §10.2.3): whole seconds, or a date in one of the three forms HTTP has known. What is neither
// is as if it were not there; what asks for too much is clamped, so that no site can stop a run for a year.

import type { Instant } from '../../platform/clock.ts';

/** The longest wait that is obeyed. */
export const LONGEST_RETRY_AFTER_MS = 3_600_000;

export interface RetryAfterLimits {
  /** The longest wait that is granted. */
  readonly maxMs: number;
}

/** How long to wait from `now`, in ms: 0 for a date that has passed, `maxMs` at most. Undefined if absent or malformed. */
export function parseRetryAfter(value: string | undefined, now: Instant, limits: RetryAfterLimits): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : waitUntil(text, now);
  return waitMs === undefined ? undefined : Math.min(Math.max(0, waitMs), limits.maxMs);
}

function waitUntil(text: string, now: Instant): number | undefined {
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : date - now;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const MONTH = `(?<month>${MONTHS.join('|')})`;

// RFC 9110 §5.6.7: IMF-fixdate, RFC 850, asctime.
const FORMS = [
  new RegExp(String.raw`^${SHORT_DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT$`),
  new RegExp(String.raw`^${SHORT_DAY} ${MONTH} (?<day>\d\d| \d) ${TIME} (?<year>\d{4})$`),
];

/** The instant an HTTP date names; undefined if it is none, or names no real day. `now` settles two-digit years. */
function parseHttpDate(text: string, now: Instant): Instant | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = parts;
    // A minute may have a leap second.
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
    const fullYear = year.length === 2 ? centuryOf(Number(year), now) : Number(year);
    const midnight = Date.UTC(fullYear, MONTHS.indexOf(month), Number(day));
    if (new Date(midnight).getUTCDate() !== Number(day)) return undefined;
    return midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  }
  return undefined;
}

// RFC 9110 §5.6.7: a year that would be more than 50 years ahead is the latest past one with the same two digits.
function centuryOf(twoDigits: number, now: Instant): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
