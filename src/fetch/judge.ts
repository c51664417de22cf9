// Whose failing it is when a request gets no answer: its host's, or its own. One judge for all requests of a pipeline,
// whichever way they go.

import { hash } from 'node:crypto';
import type { FetchRequest } from './fetch-request.ts';
import type { HostGate } from './host-gate.ts';
import type { OutcomeWithoutPage } from './outcome.ts';
import { isProxyFailure } from './proxy-gates.ts';
import { Suspects } from './suspects.ts';

export class Judge {
  readonly #suspects = new Suspects();

  /** What looks like the host's trouble is the request's own, when the host has shown again and again that it is up. */
  judge(
    request: FetchRequest,
    { host, signsOfLife }: Pick<HostGate, 'host' | 'signsOfLife'>,
    meaning: OutcomeWithoutPage,
    status?: number,
  ): OutcomeWithoutPage {
    if (meaning.kind !== 'site_wide' || isProxyFailure(meaning.failure)) return meaning;
    if (!this.#suspects.failed(nameOf(request), host, signsOfLife)) return meaning;
    const { reason, failure } = meaning;
    return {
      kind: 'url_specific',
      status,
      reason: `${reason}, again and again while its host is up`,
      retriable: true,
      ...(failure !== undefined && { failure }),
    };
  }

  /** The request was answered. */
  clear(request: FetchRequest): void {
    if (this.#suspects.size > 0) this.#suspects.clear(nameOf(request));
  }
}

/** What makes a request the same when it comes again. */
function nameOf({ method, url, body, via }: FetchRequest): string {
  return `${via} ${method} ${url} ${body === undefined ? '' : hash('sha256', body.bytes)}`;
}
