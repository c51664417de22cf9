// The way through Chromium, for requests that ask for it: one page load in, one outcome out, as from the plain way. Every
// request the page makes passes the gate of its host; the session's cookies go in, and what the page changed comes back.

import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { AdmitQuestion, Admittance } from './browser/admit.ts';
import { type BrowserCookie, cookiesOf, setCookieField } from './browser/browser-cookie.ts';
import type { BrowserFetch } from './browser/browser-fetch.ts';
import type { BrowserAnswer, BrowserHop, BrowserResult, LoadReport } from './browser/browser-result.ts';
import type { BrowserTab } from './browser/browser-tab.ts';
import { classifyBrowser } from './browser/classify-browser.ts';
import { classify, contextAt } from './classify.ts';
import { Download, type FileSpool } from './download.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { HostGates } from './host-gates.ts';
import { headerValue } from './http/header-list.ts';
import { isConditional } from './leg.ts';
import type { FetchedBody, FetchedExchange, HeaderList, Outcome, OutcomeWithoutPage } from './outcome.ts';
import type { Patience } from './patience.ts';
import { type ProxyServer, redactProxy } from './proxy/proxy-server.ts';
import type { Sessions } from './session/sessions.ts';

export interface BrowserRouteParts {
  /** Finds Chromium. Called once, when the first request wants it. */
  readonly open: () => Promise<BrowserFetch>;
  readonly gates: HostGates;
  readonly sessions: Sessions;
  readonly files: FileSpool;
  readonly userAgent: string;
  readonly clock: Clock;
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
  async fetch(request: FetchRequest, proxy: ProxyServer | undefined, patience: Patience): Promise<Outcome> {
    if (request.method !== 'GET') return permanent(`a browser is not sent to an address with ${request.method}`);
    const browser = await this.#opened();
    const { files } = this.#parts;
    const url = new URL(request.url);
    const download = request.saves === 'file' ? new Download(files, url) : undefined;
    /** What it means that a document was not let through, by its URL. */
    const turnedAway = new Map<string, OutcomeWithoutPage>();
    try {
      const result = await browser.load(
        {
          url,
          headers: this.#headersOf(request),
          cookies: this.#cookiesOf(request.session),
          ownCookies: request.cookies,
          session: request.session,
          admit: async (question, signal) => {
            const asked = await this.#admit(question, proxy, AbortSignal.any([signal, patience.stop]));
            if (asked.kind === 'admitted') return asked;
            if (question.kind === 'document') turnedAway.set(question.url.href, asked.meaning);
            return { kind: 'refused', reason: asked.reason };
          },
          ...(request.maxRedirects !== undefined && { maxRedirects: request.maxRedirects }),
          ...(request.waitFor !== undefined && { waitFor: request.waitFor }),
          ...(download !== undefined && { sink: download }),
          ...(proxy !== undefined && { proxy }),
        },
        patience.abort,
      );
      const outcome = await this.#outcomeOf(result, request, download, patience, turnedAway);
      return proxy === undefined ? outcome : { ...outcome, proxy: redactProxy(proxy) };
    } catch (error) {
      // The request's own fault, such as a waitFor that is no selector, is no reason to end a run.
      const own = error instanceof CurlewError && OWN_FAULTS.has(error.code);
      if (own) return permanent(error.message);
      throw error;
    } finally {
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
    return browser.openTab({
      session,
      headers: [['User-Agent', this.#parts.userAgent]],
      proxy,
      admit: async ({ url }, signal) => {
        // What is done in a tab is wanted: it waits for a host that is down, as a document does.
        const question = { url, kind: 'document' } as const;
        const asked = await this.#admit(question, proxy, AbortSignal.any([signal, patience.stop]));
        return asked.kind === 'admitted' ? asked : { kind: 'refused', reason: asked.reason };
      },
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
    turnedAway: ReadonlyMap<string, OutcomeWithoutPage>,
  ): Promise<Outcome> {
    if (result.kind === 'aborted') throw patience.abort.reason;
    this.#keepCookies(request.session, result);
    const exchanges = result.hops.map(redirectExchange);
    const refusal = result.kind === 'refused' ? turnedAway.get(result.url) : undefined;
    if (refusal !== undefined) return { ...refusal, exchanges };
    const conditional = result.kind === 'answer' && isConditional({ headers: result.requestHeaders });
    const meaning = classifyBrowser(result, contextAt(this.#parts.clock.now(), conditional));
    if (result.kind !== 'answer') return meaning.kind === 'ok' ? unexpected() : { ...meaning, exchanges };
    const response = answerExchange(result, await bodyOf(result, download));
    exchanges.push(response);
    return meaning.kind === 'ok' ? { kind: 'ok', response, exchanges } : { ...meaning, exchanges };
  }

  async #admit(question: AdmitQuestion, proxy: ProxyServer | undefined, stop: AbortSignal): Promise<Asked> {
    const { url, kind } = question;
    const gate = this.#parts.gates.of(url);
    // A page shall not hang on a picture of a host that is down.
    if (kind === 'part' && gate.state.breaker.kind !== 'closed')
      return refused({ kind: 'site_wide', reason: `${gate.host} is down` });
    const admission = await gate.admit(url, proxy, stop);
    switch (admission.kind) {
      case 'admitted': {
        const { pass } = admission;
        if (!pass.left()) {
          pass.giveBack();
          return this.#admit(question, proxy, stop);
        }
        return {
          kind: 'admitted',
          learn: (end) =>
            pass.end(end.kind === 'aborted' ? undefined : classify(end, contextAt(this.#parts.clock.now(), true))),
        };
      }
      case 'disallowed':
        return refused({ kind: 'skipped', reason: admission.reason });
      case 'undecided':
        return refused({ kind: 'site_wide', reason: admission.reason, because: 'robots' });
      case 'not_asked':
        // The same failure as if the request itself had met it: an address that is refused, or trouble with the proxy.
        return {
          kind: 'refused',
          reason: admission.failure.reason,
          meaning: classify(admission.failure, contextAt(this.#parts.clock.now(), false)),
        };
    }
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

function permanent(reason: string): Outcome {
  return { kind: 'url_specific', status: undefined, reason, retriable: false, exchanges: [] };
}

type Asked =
  | Extract<Admittance, { kind: 'admitted' }>
  /** `meaning`: the same in the terms of an outcome. */
  | { readonly kind: 'refused'; readonly reason: string; readonly meaning: OutcomeWithoutPage };

function refused(meaning: Extract<OutcomeWithoutPage, { kind: 'skipped' | 'site_wide' }>): Asked {
  return { kind: 'refused', reason: meaning.reason, meaning };
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

async function bodyOf({ body, headers }: BrowserAnswer, download: Download | undefined): Promise<FetchedBody> {
  if (body.kind === 'memory') return body;
  return download === undefined ? unexpected() : download.commit(headers);
}
