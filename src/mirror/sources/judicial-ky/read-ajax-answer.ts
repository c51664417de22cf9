// The address in an answer to the AJAX call, or why there is none. Pure, and the same for both clients and for replays.

import { z } from 'zod';
import { parseRetryAfter } from '../../../fetch/politeness/retry-after.ts';
import type { Instant } from '../../../platform/clock.ts';
import { DownloadError } from '../../download-error.ts';
import type { SiteAnswer } from '../source.ts';

/** WordPress calls the field of the address `fid`, as that of the question. */
const Answer = z.object({ success: z.boolean(), data: z.unknown() });
const Address = z.object({ fid: z.string() });
const LONGEST_WAIT_MS = 3_600_000;

/** Throws `DownloadError`; `ajax_403` for a nonce or session that the site does not accept. */
export function readAjaxAnswer({ status, body, retryAfter }: SiteAnswer, now: Instant): string {
  const text = body.trim();
  if (status === 429) {
    const retryAfterMs =
      retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now, { maxMs: LONGEST_WAIT_MS });
    throw new DownloadError('ajax_rate_limit', 'the court site asked to wait', { httpStatus: status, retryAfterMs });
  }
  if (status === 401 || status === 403 || text === '-1') {
    throw new DownloadError('ajax_403', `the court site refused (${status})`, { httpStatus: status });
  }
  if (status >= 500) throw new DownloadError('ajax_500', `the court site failed (${status})`, { httpStatus: status });
  if (status !== 200) throw unreadable(`status ${status}`, status);
  const answer = Answer.safeParse(parseJson(text));
  if (!answer.success) throw unreadable(text === '' ? 'nothing' : 'no JSON of the known shape', status);
  if (!answer.data.success) throw unreadable('"success":false', status);
  const address = Address.safeParse(answer.data.data);
  if (!address.success) throw new DownloadError('invalid_box_url', 'the answer of the court site has no address');
  const url = URL.parse(address.data.fid);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new DownloadError('invalid_box_url', 'the address that the court site gave is none of a file');
  }
  return url.href;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(what: string, httpStatus: number): DownloadError {
  return new DownloadError('ajax_parse_error', `the court site answered with ${what}`, { httpStatus });
}
