// What it means for a case that a request got no usable answer. `who` is the site, as people call it.

import type { HopFailureCode } from '../fetch/http/failure-code.ts';
import type { Outcome } from '../fetch/outcome.ts';
import type { Instant } from '../platform/clock.ts';
import { DownloadError } from './download-error.ts';
import type { FailureCode } from './error-codes.ts';

const TIMEOUTS: ReadonlySet<HopFailureCode> = new Set([
  'connect_timeout',
  'headers_timeout',
  'total_timeout',
  'idle_timeout',
]);
/** What came is not what was promised. */
const MALFORMED: ReadonlySet<HopFailureCode> = new Set(['length_mismatch', 'bad_encoding', 'too_many_encodings']);

/** For an outcome without an answer that can be used. */
export function outcomeError(outcome: Outcome, who: string, now: Instant): DownloadError {
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  const reason = 'reason' in outcome ? outcome.reason : outcome.kind;
  const until = outcome.kind === 'site_wide' ? outcome.retryAfter : undefined;
  const retryAfterMs = until === undefined ? undefined : until - now;
  return new DownloadError(codeOf(outcome, failure), `${who}: ${reason}`, { retryAfterMs });
}

function codeOf(outcome: Outcome, failure: HopFailureCode | undefined): FailureCode {
  if (failure !== undefined && TIMEOUTS.has(failure)) return 'network_timeout';
  if (failure !== undefined && MALFORMED.has(failure)) return 'malformed_pdf';
  if (failure === 'address_refused') return 'invalid_box_url';
  // robots.txt says no.
  if (outcome.kind === 'skipped') return 'http_403_forbidden';
  return failure === undefined ? 'download_other' : 'network_error';
}
