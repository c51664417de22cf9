// The address in an answer to the AJAX call, or why there is none. Pure, and the same for both clients and for replays.

import { z } from 'zod';
import { parseRetryAfter } from '../../../fetch/politeness/retry-after.ts';
import type { Instant } from '../../../platform/clock.ts';
import { DownloadError } from '../../download-error.ts';
import type { SiteAnswer } from '../source.ts';
import { findAddresses, jsonIn } from './find-addresses.ts';

/** WordPress says by this whether the call did what it should; a plugin may leave it out. */
const Verdict = z.object({ success: z.unknown().optional() });
const LONGEST_WAIT_MS = 3_600_000;

/** Throws `DownloadError`; `ajax_403` for a nonce or session that the site does not accept. */
export function readAjaxAnswer(
  { status, body, retryAfter }: SiteAnswer,
  now: Instant,
  isFile: (url: URL) => boolean,
): string {
  const text = body.replace(/^\ufeff/, '').trim();
  if (status === 429) {
    const retryAfterMs =
      retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now, { maxMs: LONGEST_WAIT_MS });
    throw new DownloadError('ajax_rate_limit', 'the court site asked to wait', { httpStatus: status, retryAfterMs });
  }
  if (status === 401 || status === 403 || text === '-1' || text === '"-1"') {
    throw new DownloadError('ajax_403', `the court site refused (${status})`, { httpStatus: status });
  }
  if (status >= 500) throw new DownloadError('ajax_500', `the court site failed (${status})`, { httpStatus: status });
  if (status !== 200) throw unreadable(`status ${status}`, status);
  if (text === '') throw unreadable('nothing', status);
  const json = jsonIn(text);
  const verdict = Verdict.safeParse(json);
  if (verdict.success && isRefusal(verdict.data.success)) throw unreadable('"success":false', status);
  const addresses = findAddresses(text);
  const file = addresses.find(isFile);
  if (file !== undefined) return file.href;
  // A page has links, of which none is meant; what an answer of the known shape names is.
  if (!verdict.success && !isBareAddress(text)) throw unreadable('no address of a file', status);
  const [other] = addresses;
  if (other === undefined) {
    throw new DownloadError('invalid_box_url', 'the answer of the court site has no address', { httpStatus: status });
  }
  const origin = other.origin === 'null' ? other.protocol : other.origin;
  throw new DownloadError(
    'invalid_box_url',
    `the court site named ${origin}, which is no server that files may come from (BAILIIKC_UJ_FILE_HOSTS)`,
    { httpStatus: status },
  );
}

function isRefusal(success: unknown): boolean {
  return (
    success === false ||
    success === 0 ||
    success === null ||
    (typeof success === 'string' && /^(?:false|0|no|)$/i.test(success))
  );
}

function isBareAddress(text: string): boolean {
  return /^["']?(?:https?:)?\\?\/\\?\/\S+$/i.test(text);
}

function unreadable(what: string, httpStatus: number): DownloadError {
  return new DownloadError('ajax_parse_error', `the court site answered with ${what}`, { httpStatus });
}
