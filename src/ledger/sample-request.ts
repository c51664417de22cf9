// Requests for tests. Only tests import this.

import type { RequestSpec } from './request-spec.ts';

/** A plain GET of a court's first page; `changes` replace single properties. */
export function sampleRequest(changes: Partial<RequestSpec> = {}): RequestSpec {
  return {
    method: 'GET',
    url: 'http://court.example/',
    saves: 'page',
    step: 'parse',
    context: undefined,
    body: undefined,
    headers: undefined,
    cookies: undefined,
    session: undefined,
    via: 'http',
    waitFor: undefined,
    probe: undefined,
    priority: 0,
    depth: 0,
    ...changes,
  };
}
