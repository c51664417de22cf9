// Gets an index from the web, through the pipeline and only if it changed. Tried again as any download is.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import { headerValue } from '../../fetch/http/header-list.ts';
import type { Outcome } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import type { CsvVersion } from '../../ledger/mirror/csv-version.ts';
import type { Clock } from '../../platform/clock.ts';
import { decideRetry } from '../decide-retry.ts';
import type { FailureCode } from '../error-codes.ts';

export type FetchedIndex =
  | {
      readonly kind: 'fetched';
      readonly bytes: Uint8Array;
      readonly contentType: string | undefined;
      readonly etag: string | null;
      readonly lastModified: string | null;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

const ATTEMPTS = 3;

export interface IndexRequest {
  readonly url: string;
  /** Its validators are sent, when it came from the same address. */
  readonly current: CsvVersion | undefined;
  readonly pipeline: Pick<FetchPipeline, 'fetch'>;
  readonly clock: Clock;
  readonly patience: Patience;
}

export async function fetchIndex(request: IndexRequest): Promise<FetchedIndex> {
  const { url, pipeline, clock, patience } = request;
  for (let attempt = 1; ; attempt++) {
    const outcome = await pipeline.fetch(
      {
        method: 'GET',
        url,
        headers: { Accept: 'text/csv, */*;q=0.5', ...validators(request) },
        cookies: {},
        body: undefined,
        session: 'index',
        saves: 'page',
        via: 'http',
        waitFor: undefined,
      },
      patience,
    );
    const { code, ...read } = readOutcome(outcome);
    if (read.kind !== 'failed' || code === undefined) return read;
    const { retry, backoffMs } = decideRetry(code, undefined, attempt, ATTEMPTS);
    if (!retry) return read;
    await clock.sleep(backoffMs, patience.stop);
  }
}

/** RFC 9110 §13.1: both may be sent; a server that knows ETags goes by them. */
function validators({ current, url }: IndexRequest): Record<string, string> {
  if (current === undefined || current.sourceUrl !== url) return {};
  return {
    ...(current.etag !== null && { 'If-None-Match': current.etag }),
    ...(current.lastModified !== null && { 'If-Modified-Since': current.lastModified }),
  };
}

/** `code` is set for failures that may pass. */
function readOutcome(outcome: Outcome): FetchedIndex & { readonly code?: FailureCode } {
  switch (outcome.kind) {
    case 'ok': {
      const { body, responseHeaders } = outcome.response;
      if (body.kind === 'file') return { kind: 'failed', reason: 'it was saved as a file' };
      return {
        kind: 'fetched',
        bytes: body.decoded,
        contentType: headerValue(responseHeaders, 'content-type'),
        etag: headerValue(responseHeaders, 'etag') ?? null,
        lastModified: headerValue(responseHeaders, 'last-modified') ?? null,
      };
    }
    case 'unchanged':
      return { kind: 'unchanged' };
    case 'skipped':
    case 'unreached':
      return { kind: 'failed', reason: outcome.reason };
    case 'url_specific':
      return { kind: 'failed', reason: outcome.reason, ...(outcome.retriable && { code: 'http_5xx' }) };
    case 'rate_limited':
      return { kind: 'failed', reason: outcome.reason, code: 'box_rate_limit' };
    case 'site_wide':
      return { kind: 'failed', reason: outcome.reason, code: 'http_5xx' };
  }
}
