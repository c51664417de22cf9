// From a signed address to a whole PDF that has no name yet. What the file server says is put into the words of the
// mirror; a file that is not ready is waited for.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import { headerValue } from '../../fetch/http/header-list.ts';
import type { FetchedExchange, HeaderList, Outcome } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import { parseRetryAfter } from '../../fetch/politeness/retry-after.ts';
import type { Clock } from '../../platform/clock.ts';
import { DownloadError } from '../download-error.ts';
import type { FailureCode } from '../error-codes.ts';
import { outcomeError } from '../outcome-error.ts';
import type { PdfInspection } from '../pdf/pdf-inspector.ts';
import type { PdfSpool } from './pdf-spool.ts';

export interface PdfRequest {
  /** Signed. */
  readonly url: string;
  /** When the address was given. */
  readonly issuedAt: number;
  /** Whether the file server has refused another address of this case before: then it is not the address. */
  readonly refusedBefore: boolean;
  readonly patience: Patience;
  /** Fields that ask for other bytes than the held ones only; empty to ask for whatever there is. */
  readonly validators?: Readonly<Record<string, string>>;
  /** Takes what came and is no PDF. Gives where it is kept; undefined when it is not. */
  readonly reject?: (path: string, inspection: PdfInspection) => Promise<string | undefined>;
}

export type FetchedPdf =
  | {
      readonly kind: 'fetched';
      /** In the spool. */
      readonly path: string;
      readonly inspection: PdfInspection;
      readonly responseHeaders: HeaderList;
    }
  /** The file server says that it has no other bytes. */
  | { readonly kind: 'unchanged' };

export interface PdfFetcherParts {
  readonly pipeline: Pick<FetchPipeline, 'fetch'>;
  readonly spool: PdfSpool;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Whether an address is on a server that files may come from. */
  readonly isFile: (url: URL) => boolean;
}

/** Signed addresses live for about 15 minutes. */
const OLD_ADDRESS_MS = 14 * 60_000;
/** How often a file is asked for that is not ready. */
const MOST_WAITS = 10;
const UNTOLD_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 300_000;

/** Throws `DownloadError`; `disk_full` and `data_directory` for what is not the server's doing. */
export async function fetchPdf(request: PdfRequest, parts: PdfFetcherParts): Promise<FetchedPdf> {
  const { pipeline, spool, clock, timeoutMs, isFile } = parts;
  const { url, patience } = request;
  for (let waits = 0; ; waits++) {
    const outcome = await pipeline.fetch(
      {
        method: 'GET',
        url,
        headers: { Accept: 'application/pdf, */*;q=0.5', ...request.validators },
        cookies: {},
        body: undefined,
        session: 'box',
        saves: 'file',
        via: 'http',
        waitFor: undefined,
        totalTimeoutMs: timeoutMs,
        permits: isFile,
      },
      patience,
    );
    if (outcome.kind === 'unchanged') return { kind: 'unchanged' };
    if (outcome.kind !== 'ok') throw refusal(outcome, request, clock.now());
    const { response } = outcome;
    if (response.body.kind !== 'file') throw new DownloadError('download_other', 'no file came');
    const { path } = response.body;
    if (response.status === 202) {
      await spool.discard(path);
      if (waits === MOST_WAITS)
        throw new DownloadError('download_other', 'the file did not get ready', { httpStatus: 202 });
      await clock.sleep(waitOf(response, clock.now()), patience.stop);
      continue;
    }
    const inspection = spool.inspection(path);
    if (inspection === undefined || inspection.fault !== undefined) {
      const kept = inspection === undefined ? undefined : await request.reject?.(path, inspection);
      if (kept === undefined) await spool.discard(path);
      const where = kept === undefined ? '' : ` (kept as ${kept})`;
      throw new DownloadError('malformed_pdf', `what came is no whole PDF: ${inspection?.fault}${where}`);
    }
    return { kind: 'fetched', path, inspection, responseHeaders: response.responseHeaders };
  }
}

/** Why there is no file. */
function refusal(outcome: Outcome, { issuedAt, refusedBefore }: PdfRequest, now: number): DownloadError {
  const answer = outcome.exchanges.at(-1);
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  if (answer === undefined || failure !== undefined) return outcomeError(outcome, 'the file server', now);
  const httpStatus = answer.status;
  if (outcome.kind === 'rate_limited') {
    const retryAfterMs = outcome.until - now;
    return new DownloadError('box_rate_limit', 'the file server asked to wait', { httpStatus, retryAfterMs });
  }
  if (httpStatus >= 500) {
    const retryAfterMs = waitTold(answer, now);
    return new DownloadError('http_5xx', `the file server failed (${httpStatus})`, { httpStatus, retryAfterMs });
  }
  if (httpStatus < 400)
    return new DownloadError('download_other', `the file server answered ${httpStatus}`, { httpStatus });
  // Whatever it says to an old address, it may say about the address. One new one decides.
  const isAddress = !refusedBefore || now - issuedAt >= OLD_ADDRESS_MS;
  const code = isAddress ? 'signed_url_expired' : codeOf(httpStatus);
  return new DownloadError(code, `the file server refused the address (${httpStatus})`, { httpStatus });
}

function codeOf(status: number): FailureCode {
  switch (status) {
    case 401:
      return 'http_401_unauthorised';
    case 403:
      return 'http_403_forbidden';
    case 404:
      return 'http_404_not_found';
    default:
      return 'http_4xx';
  }
}

function waitOf(answer: FetchedExchange, now: number): number {
  return waitTold(answer, now) ?? UNTOLD_WAIT_MS;
}

function waitTold({ responseHeaders }: FetchedExchange, now: number): number | undefined {
  const value = headerValue(responseHeaders, 'retry-after');
  return value === undefined ? undefined : parseRetryAfter(value, now, { maxMs: LONGEST_WAIT_MS });
}
