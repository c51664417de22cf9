// What a load came to, in the shape of a hop: pure functions from the documents on its way to the parts of a result.

import type { HopBody } from '../http/hop-result.ts';
import type { HeaderList } from '../outcome.ts';
import type { BrowserAnswer, BrowserHop, LoadReport } from './browser-result.ts';
import { headersForBody } from './dom-snapshot.ts';
import type { LoadedDocument } from './page-load.ts';
import type { TrackedRequest } from './page-traffic.ts';
import { UNMATCHED_HEADER } from './unmatched-header.ts';

const SNAPSHOT_TYPE = 'text/html; charset=utf-8';

/** Every answered document but the last. */
export function hopsBefore(last: TrackedRequest | undefined, visits: readonly TrackedRequest[]): readonly BrowserHop[] {
  return visits.flatMap((visit) => {
    const { answer, at, requestHeaders, remoteAddress, durationMs } = visit;
    if (visit === last || answer === undefined) return [];
    const { status, statusText } = answer;
    const headers = headersForBody(answer.headers);
    return [{ url: visit.url.href, at, status, statusText, headers, requestHeaders, remoteAddress, durationMs }];
  });
}

export function answerOf(
  document: LoadedDocument,
  body: HopBody,
  durationMs: number,
  report: LoadReport,
): BrowserAnswer {
  const { answer, url, visit, unmatched } = document;
  const { at, requestHeaders, remoteAddress } = visit;
  const { status, statusText } = answer;
  const headers = headersOf(document);
  return {
    kind: 'answer',
    url,
    at,
    status,
    statusText,
    headers,
    body,
    requestHeaders,
    remoteAddress,
    durationMs,
    ...(unmatched && { unmatched: unmatched.reason }),
    ...report,
  };
}

function headersOf(document: LoadedDocument): HeaderList {
  const headers = bodyHeadersOf(document);
  const { unmatched } = document;
  return unmatched === undefined ? headers : [...headers, [UNMATCHED_HEADER, encodeURIComponent(unmatched.selector)]];
}

function bodyHeadersOf(document: LoadedDocument): HeaderList {
  const { headers } = document.answer;
  switch (document.kind) {
    case 'html':
      return headersForBody(headers, SNAPSHOT_TYPE);
    case 'bytes':
      return headersForBody(headers);
    case 'download': {
      if (document.madeBy === 'site') return headersForBody(headers);
      const name = encodeURIComponent(document.download.suggestedFilename());
      // RFC 8187 §3.2.
      return [
        ...headersForBody(headers, 'application/octet-stream'),
        ['content-disposition', `attachment; filename*=UTF-8''${name}`],
      ];
    }
  }
}
