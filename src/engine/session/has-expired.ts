// Whether an answer says that its session is over: for its author to say. The same for a run and for its replay.

import type { Outcome } from '../../fetch/outcome.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import type { Session } from '../../scraper/session.ts';
import { type Called, callAuthor } from './call-author.ts';
import { pageOf } from './page-of.ts';

/** A file that was accepted is never looked at; of one that was refused, its beginning is. */
export function hasExpired(
  { name: scraper }: ScraperDefinition,
  { options }: Session,
  name: string,
  outcome: Outcome,
  requestUrl: string,
  timeoutMs: number,
): Called<boolean> {
  const { expired } = options;
  const isAnswer = outcome.kind === 'ok' || (outcome.kind === 'url_specific' && outcome.failure === undefined);
  const last = outcome.kind === 'ok' ? outcome.response : outcome.exchanges.at(-1);
  if (expired === undefined || !isAnswer || last === undefined || last.status >= 500 || last.body.kind === 'file') {
    return { kind: 'value', value: false };
  }
  const page = pageOf(last, requestUrl);
  const call = { name: `${scraper}.${name}: expired`, timeoutMs, hides: () => page.source };
  return callAuthor(call, () => expired.call(options, page) === true);
}
