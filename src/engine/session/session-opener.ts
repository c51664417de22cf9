// Opens a session: makes the requests that its author wants for it, one after the other, and has its values read. What went over
// the wire is written down without the answers, which hold what the session is kept secret by.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import type { RequestSpec } from '../../ledger/request-spec.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import type { Page } from '../../scraper/page/page.ts';
import { isRequest, type Request } from '../../scraper/request.ts';
import type { Session, SessionValues } from '../../scraper/session.ts';
import { resolveRequest } from '../resolve-request.ts';
import { type AuthorCall, callAuthor } from './call-author.ts';
import { fetchRequestOf } from './encode-request.ts';
import { hideAnswer, hideQuery, hiderOf } from './hide-secrets.ts';
import { pageOf } from './page-of.ts';
import { findBadValue } from './session-state.ts';

export interface OpenerParts {
  readonly pipeline: Pick<FetchPipeline, 'fetch'>;
  readonly definition: ScraperDefinition;
  readonly clock: Clock;
  /** For each call of the author's code. */
  readonly timeoutMs: number;
}

export type Opening =
  | { readonly kind: 'opened'; readonly values: SessionValues }
  | { readonly kind: 'failed'; readonly outcome: OutcomeWithoutPage };

/** A session that wants more is taken for one that goes on for ever. */
const MOST_REQUESTS = 20;
const HIDDEN = '***';

/** One opening of one session. */
export class SessionOpener {
  readonly #parts: OpenerParts;
  readonly #name: string;
  readonly #session: Session;
  readonly #exchanges: FetchedExchange[] = [];
  /** Addresses that the author asked for. */
  readonly #asked = new Set<string>();
  readonly #pages: Page[] = [];
  #values: SessionValues = {};

  constructor(parts: OpenerParts, name: string, session: Session) {
    this.#parts = parts;
    this.#name = name;
    this.#session = session;
  }

  /** Rejects as `FetchPipeline.fetch` does. */
  async open(nth: number, patience: Patience): Promise<Opening> {
    const { pipeline, clock } = this.#parts;
    const opening = { nth, unique: clock.now().toString(36) };
    const begun = callAuthor(this.#call('open'), () => requestsOf(this.#session.options.open(opening)));
    if (begun.kind === 'failed') return failed(begun.reason);
    for (;;) {
      const next = callAuthor(this.#call('open'), () => this.#nextOf(begun.value));
      if (next.kind === 'failed') return failed(next.reason);
      const spec = next.value;
      if (spec === undefined) return this.#read();
      this.#asked.add(spec.url);
      const outcome = await pipeline.fetch({ ...fetchRequestOf(spec), session: this.#name }, patience);
      this.#exchanges.push(...outcome.exchanges);
      if (outcome.kind !== 'ok') return { kind: 'failed', outcome: notOpened(this.#name, outcome) };
      this.#pages.push(pageOf(outcome.response, spec.url));
    }
  }

  /** What was asked for so far, as it may be written down. */
  trail(): FetchedExchange[] {
    const hide = hiderOf(textsOf(this.#values).map((text) => [HIDDEN, text]));
    const body = Buffer.from(HIDDEN);
    return this.#exchanges.map((exchange) => {
      const hidden = hideAnswer(exchange, hide, body);
      return this.#asked.has(exchange.url) ? hidden : { ...hidden, url: hideQuery(hidden.url) };
    });
  }

  #nextOf(requests: Iterator<unknown, unknown, Page | undefined>): RequestSpec | undefined {
    const { definition } = this.#parts;
    const last = this.#pages.at(-1);
    const { done, value } = requests.next(last);
    if (done) return undefined;
    const isFit = isRequest(value) && value.saves === 'page' && value.step === undefined;
    if (!isFit || this.#pages.length >= MOST_REQUESTS) {
      const problem = isFit
        ? `asks for more than ${MOST_REQUESTS} pages`
        : 'must give what get and post give, without a step';
      throw new CurlewError(ErrorCode.scraperDefinition, problem);
    }
    const at = { base: last?.url ?? definition.baseUrl, depth: 0, occurrence: '' };
    const { spec } = resolveRequest(value, at, definition);
    if (spec.values === undefined) return spec;
    throw new CurlewError(ErrorCode.scraperDefinition, 'it uses a value of a session that is not open yet');
  }

  #read(): Opening {
    const page = this.#pages.at(-1);
    if (page === undefined) return failed(`session ${this.#name}: open asks for no page`);
    const { read } = this.#session.options;
    if (read === undefined) return { kind: 'opened', values: {} };
    const found = callAuthor(this.#call('read'), () => plain(read.call(this.#session.options, page, this.#pages)));
    if (found.kind === 'failed') return failed(found.reason);
    const bad = findBadValue(found.value);
    if (bad !== undefined) return failed(`session ${this.#name}: read: ${bad}`);
    this.#values = found.value as SessionValues;
    return { kind: 'opened', values: this.#values };
  }

  #call(what: 'open' | 'read'): AuthorCall {
    const hides = () => this.#pages.map(({ source }) => source).join('\n');
    return { name: `session ${this.#name}: ${what}`, timeoutMs: this.#parts.timeoutMs, hides };
  }
}

function requestsOf(given: unknown): Iterator<unknown, unknown, Page | undefined> {
  if (isRequest(given)) return [given as Request].values();
  if (typeof given === 'object' && given !== null && Symbol.iterator in given) {
    return (given as Iterable<unknown, unknown, Page | undefined>)[Symbol.iterator]();
  }
  throw new CurlewError(ErrorCode.scraperDefinition, 'it must give a request, or several');
}

/** Whatever it is, made plain data within the author's time. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function textsOf(values: SessionValues): string[] {
  return Object.values(values).flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value)));
}

function failed(reason: string): Opening {
  return {
    kind: 'failed',
    outcome: { kind: 'url_specific', status: undefined, reason, retriable: false, verdict: 'failed' },
  };
}

/** What the answer to an opening means for the request that waits for it. That a page is not there says nothing of an item. */
function notOpened(name: string, outcome: Exclude<Outcome, { kind: 'ok' }>): OutcomeWithoutPage {
  const { exchanges: _, proxy: __, ...meaning } = outcome;
  if (meaning.kind === 'unchanged') {
    return {
      kind: 'url_specific',
      status: 304,
      reason: said(name, '304 Not Modified'),
      retriable: false,
      verdict: 'failed',
    };
  }
  const reason = said(name, meaning.reason);
  if (meaning.kind !== 'url_specific' || meaning.retriable) return { ...meaning, reason };
  const isBlocked = meaning.status === 401 || meaning.status === 403;
  return { ...meaning, reason, verdict: isBlocked ? 'blocked' : 'failed' };
}

function said(name: string, reason: string): string {
  return `session ${name} was not opened: ${reason}`;
}
