// The way through Chromium, for requests that ask for it: one page load in, one outcome out, as from the plain way. Every
// request the page makes passes the gate of its host, and has a row: an exchange of the outcome, or an event. The session's
// cookies go in, and what the page changed comes back.

import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { whenToComeAgain } from './admission.ts';
import { type BrowserCookie, cookiesOf, setCookieField } from './browser/browser-cookie.ts';
import type { BrowserFetch } from './browser/browser-fetch.ts';
import type { BrowserAnswer, BrowserHop, BrowserResult, LoadReport } from './browser/browser-result.ts';
import type { BrowserTab } from './browser/browser-tab.ts';
import { classifyBrowser } from './browser/classify-browser.ts';
import { contextAt } from './classify.ts';
import { Download, type FileSpool } from './download.ts';
import type { EventOutbox } from './event-outbox.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { HostGates } from './host-gates.ts';
import { headerValue } from './http/header-list.ts';
import type { Judge } from './judge.ts';
import { givenUp, isConditional } from './leg.ts';
import type { FetchedBody, FetchedExchange, HeaderList, Outcome, OutcomeWithoutPage } from './outcome.ts';
import { type Departure, PageGate } from './page-gate.ts';
import { PageRows, rowOf } from './page-rows.ts';
import type { Patience } from './patience.ts';
import { proxyName } from './proxy/proxy-name.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';
import type { WayOut } from './proxy-gates.ts';
import type { Sessions } from './session/sessions.ts';

export interface BrowserRouteParts {
  /** Finds Chromium. Called once, when the first request wants it. */
  readonly open: () => Promise<BrowserFetch>;
  readonly gates: HostGates;
  readonly sessions: Sessions;
  readonly files: FileSpool;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly judge: Judge;
  /** Takes what is to be told of requests that have no exchange, or whose exchange nobody keeps. */
  readonly events: EventOutbox;
  readonly exchanges: 'kept' | 'told';
  readonly onSessionsChanged: () => void;
}

const NO_BYTES = new Uint8Array();
const OWN_FAULTS: ReadonlySet<ErrorCode> = new Set([ErrorCode.invalidRequest, ErrorCode.selectorSyntax]);

export class BrowserRoute {
  readonly #parts: BrowserRouteParts;
  #browser: Promise<BrowserFetch> | undefined;

  constructor(parts: BrowserRouteParts) {
    this.#parts = parts;
  }

  /** As `FetchPipeline.fetch`. Rejects with `service_missing` when there is no Chromium. */
  async fetch(request: FetchRequest, way: WayOut, patience: Patience): Promise<Outcome> {
    if (request.method !== 'GET') {
      return permanent(`a browser is not sent to an address with ${request.method}`);
    }
    const browser = await this.#opened();
    const { files, gates, clock, events, exchanges } = this.#parts;
    const url = new URL(request.url);
    const rows = new PageRows();
    const onDeparture = (departure: Departure) => rows.add(departure);
    const onEnd = (departure: Departure) => {
      const row = rows.ended(departure);
      if (row !== undefined) events.add(told(row, request));
    };
    const gate = new PageGate({ gates, clock, way, patience, home: url, onDeparture, onEnd });
    const download = request.saves === 'file' ? new Download(files, url, request.file) : undefined;
    try {
      const result = await browser.load(
        {
          url,
          headers: this.#headersOf(request),
          cookies: this.#cookiesOf(request.session),
          ownCookies: request.cookies,
          session: request.session,
          admit: (question, signal) => gate.admit(question, signal),
          ...(request.maxRedirects !== undefined && { maxRedirects: request.maxRedirects }),
          ...(request.waitFor !== undefined && { waitFor: request.waitFor }),
          ...(download !== undefined && { sink: download }),
        },
        patience.abort,
      );
      if (result.kind === 'failure') rows.failed(result);
      const came = await this.#outcomeOf(result, request, download, patience, gate);
      // A page whose proxy began to rest meanwhile may lack parts: it is asked for again, by another way.
      const isPage = came.kind === 'ok' && download === undefined;
      const outcome = isPage && gate.lost !== undefined ? { ...gate.lost, exchanges: came.exchanges } : came;
      if (exchanges === 'kept') for (const exchange of outcome.exchanges) rows.exchanged(exchange);
      return gate.proxy === undefined ? outcome : { ...outcome, proxy: proxyName(gate.proxy) };
    } catch (error) {
      // The request's own fault, such as a waitFor that is no selector, is no reason to end a run.
      const own = error instanceof CurlewError && OWN_FAULTS.has(error.code);
      if (own) return permanent(error.message);
      throw error;
    } finally {
      for (const row of rows.takeRest()) events.add(told(row, request));
      // Without effect on a file that was committed.
      await download?.discard();
    }
  }

  /**
   * A tab that stays open, with a session of its own. Its requests wait at the gates until `patience.stop`. Rejects with
   * `service_missing` when Chromium cannot be started.
   */
  async openTab(session: string, proxy: ProxyServer | undefined, patience: Patience): Promise<BrowserTab> {
    const browser = await this.#opened();
    const { gates, clock, events } = this.#parts;
    // Of a tab there are no outcomes, and so no exchanges that anybody could keep.
    const onEnd = (departure: Departure) => events.add(rowOf(departure));
    const gate = new PageGate({ gates, clock, way: { kind: 'fixed', proxy }, patience, home: undefined, onEnd });
    return browser.openTab({
      session,
      headers: [['User-Agent', this.#parts.userAgent]],
      proxy,
      // What is done in a tab is wanted: it waits for a host that is down, as a document does.
      admit: ({ url }, signal) => gate.admit({ url, kind: 'document' }, signal),
    });
  }

  async close(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    await browser?.close();
  }

  /** One Chromium for all. One that could not be had is looked for again next time. */
  #opened(): Promise<BrowserFetch> {
    this.#browser ??= this.#parts.open().catch((error: unknown) => {
      this.#browser = undefined;
      throw error;
    });
    return this.#browser;
  }

  async #outcomeOf(
    result: BrowserResult,
    request: FetchRequest,
    download: Download | undefined,
    patience: Patience,
    gate: PageGate,
  ): Promise<Outcome> {
    if (result.kind === 'aborted') throw patience.abort.reason;
    this.#keepCookies(request.session, result);
    const exchanges = result.hops.map(redirectExchange);
    const refusal = result.kind === 'refused' ? gate.refusalOf(result.url) : undefined;
    if (result.kind === 'refused' && refusal !== undefined) {
      // Without a robots.txt it failed; any other was not tried.
      const failed = refusal.kind === 'site_wide' && refusal.because === 'robots';
      return { ...(failed ? this.#judged(request, new URL(result.url), refusal, gate) : refusal), exchanges };
    }
    const conditional = result.kind === 'answer' && isConditional({ headers: result.requestHeaders });
    const meaning = classifyBrowser(result, contextAt(this.#parts.clock.now(), conditional));
    if (result.kind !== 'answer') {
      const url = new URL((result.kind === 'failure' && result.document?.url) || request.url);
      return meaning.kind === 'ok' ? unexpected() : { ...this.#judged(request, url, meaning, gate), exchanges };
    }
    const response = answerExchange(result, await bodyOf(result, download));
    exchanges.push(response);
    if (meaning.kind !== 'site_wide') this.#parts.judge.clear(request);
    if (download?.refusal !== undefined) return { ...download.refusal, exchanges };
    if (meaning.kind === 'ok') return { kind: 'ok', response, exchanges };
    return { ...this.#judged(request, new URL(result.url), meaning, gate, result.status), exchanges };
  }

  /** What the end of a load at `url` means, and when it is worth while to try again if that is not its own host. */
  #judged(
    request: FetchRequest,
    url: URL,
    meaning: OutcomeWithoutPage,
    gate: PageGate,
    status?: number,
  ): OutcomeWithoutPage {
    const host = this.#parts.gates.of(url);
    const judged = givenUp(this.#parts.judge.judge(request, host, meaning, status), host);
    if (judged.kind !== 'rate_limited' && judged.kind !== 'site_wide') return judged;
    const notBefore = gate.returnsFrom(url) ? whenToComeAgain(host) : undefined;
    return notBefore === undefined ? judged : { ...judged, notBefore };
  }

  #headersOf(request: FetchRequest): HeaderList {
    const given = Object.entries(request.headers);
    if (headerValue(given, 'user-agent') !== undefined) return given;
    return [['User-Agent', this.#parts.userAgent], ...given];
  }

  #cookiesOf(session: string): readonly BrowserCookie[] {
    const saved = this.#parts.sessions.savedOf(session);
    return saved === undefined ? [] : cookiesOf(saved, this.#parts.clock.now());
  }

  #keepCookies(session: string, { cookieChanges }: LoadReport): void {
    for (const cookie of cookieChanges) {
      const { url, value } = setCookieField(cookie);
      if (this.#parts.sessions.take(session, url, [['Set-Cookie', value]])) this.#parts.onSessionsChanged();
    }
  }
}

/** A row as it may be written down. */
function told(row: FetchEvent, { tells }: FetchRequest): FetchEvent {
  return tells === undefined || !('url' in row) ? row : { ...row, url: tells(row.url) };
}

function permanent(reason: string): Outcome {
  return { kind: 'url_specific', status: undefined, reason, retriable: false, exchanges: [] };
}

function unexpected(): never {
  throw new CurlewError(ErrorCode.internal, 'A page load without an answer was taken for one.');
}

function redirectExchange({ headers, ...hop }: BrowserHop): FetchedExchange {
  const body = { kind: 'memory', encoded: NO_BYTES, decoded: NO_BYTES } as const;
  return { ...hop, method: 'GET', requestBody: undefined, responseHeaders: headers, body };
}

function answerExchange(answer: BrowserAnswer, body: FetchedBody): FetchedExchange {
  const { url, at, status, statusText, headers, requestHeaders, remoteAddress, durationMs } = answer;
  const head = { url, at, status, statusText, requestHeaders, remoteAddress, durationMs };
  return { ...head, method: 'GET', requestBody: undefined, responseHeaders: headers, body };
}

async function bodyOf({ body, status, headers }: BrowserAnswer, download: Download | undefined): Promise<FetchedBody> {
  if (body.kind === 'memory') return body;
  return download === undefined ? unexpected() : download.commit(status, headers);
}
