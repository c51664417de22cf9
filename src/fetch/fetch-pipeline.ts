// One request in, one outcome out. Every leg, redirects included, passes in this order: its proxy's rest, the breaker of
// its host, robots, the rate of its host, the address guard. What comes back teaches the gates before anyone else hears
// of it.

import type { Clock } from '../platform/clock.ts';
import { assertNever, CurlewError, ErrorCode } from '../platform/errors.ts';
import { type Pass, whenToComeAgain } from './admission.ts';
import type { BrowserFetch } from './browser/browser-fetch.ts';
import type { BrowserTab } from './browser/browser-tab.ts';
import { BrowserRoute } from './browser-route.ts';
import { type Classified, classify, contextAt } from './classify.ts';
import { Download, type FileSpool } from './download.ts';
import type { EventOutbox } from './event-outbox.ts';
import { GIVEN_UP, type RememberedRobots, type Unsaved } from './fetch-memory.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { HostGate } from './host-gate.ts';
import type { HostGates } from './host-gates.ts';
import { reachesSite } from './host-sign.ts';
import type { HostWait } from './host-wait.ts';
import { headerValue } from './http/header-list.ts';
import { timeoutsWithin } from './http/hop-options.ts';
import type { HopAnswer } from './http/hop-result.ts';
import type { HttpHop } from './http/http-hop.ts';
import { hopKey } from './http/redirect.ts';
import { Judge } from './judge.ts';
import { firstLeg, givenUp, isConditional, type Leg, legAfter, type NextLeg } from './leg.ts';
import type { FetchedBody, FetchedExchange, HeaderList, Outcome, OutcomeWithoutPage } from './outcome.ts';
import type { Patience } from './patience.ts';
import { proxyName } from './proxy/proxy-name.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';
import { type ProxyGates, type WayOut, wayProxy } from './proxy-gates.ts';
import { withOwnCookies } from './session/own-cookies.ts';
import type { Sessions } from './session/sessions.ts';

export interface PipelineParts {
  readonly hop: HttpHop;
  readonly gates: HostGates;
  readonly robots: RememberedRobots;
  /** What the parts reported and nobody has taken yet. */
  readonly events: EventOutbox;
  /** Whether whoever asks keeps the exchanges of outcomes, or they are told as events. */
  readonly exchanges: 'kept' | 'told';
  readonly sessions: Sessions;
  /** Where downloads go. */
  readonly files: FileSpool;
  /** Opens Chromium, for requests that want it. */
  readonly openBrowser: () => Promise<BrowserFetch>;
  /** For requests that name no other. */
  readonly proxy: ProxyServer | undefined;
  readonly proxies: ProxyGates;
  /** Whether a proxy is chosen for each request that names none; then `proxy` is not used. */
  readonly isAssigned: boolean;
  readonly userAgent: string;
  readonly clock: Clock;
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8';

/** A request on its way, over all its legs. */
interface Journey {
  readonly request: FetchRequest;
  readonly exchanges: FetchedExchange[];
  /** The legs so far, to see that they go in a circle. */
  readonly seen: Set<string>;
  readonly patience: Patience;
  /** Which way it goes, with the proxy that it was assigned last. */
  way: WayOut;
}

/** What a leg came to: the next one, the answer, or the end without one. */
type LegEnd = NextLeg | { readonly kind: 'ok'; readonly response: FetchedExchange };

/** It did not leave: its host asked for time while a connection was made for it, or it lost its turn. */
const RECALLED = Symbol('recalled');

export class FetchPipeline {
  readonly #parts: PipelineParts;
  readonly #judge = new Judge();
  readonly #browser: BrowserRoute;
  #sessionsChanged = false;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const onSessionsChanged = () => {
      this.#sessionsChanged = true;
    };
    const judge = this.#judge;
    this.#browser = new BrowserRoute({ ...parts, open: parts.openBrowser, judge, onSessionsChanged });
  }

  /**
   * Resolves with what became of the request. Rejects with the reason of an aborted signal, and for what is not the
   * site's doing: a full disk, a closed network.
   */
  async fetch(request: FetchRequest, patience: Patience): Promise<Outcome> {
    const { isAssigned, proxy } = this.#parts;
    const way: WayOut =
      isAssigned && request.proxy === undefined
        ? { kind: 'assigned' }
        : { kind: 'fixed', proxy: request.proxy ?? proxy };
    if (request.via === 'browser') return this.#browser.fetch(request, way, patience);
    const exchanges: FetchedExchange[] = [];
    const journey: Journey = { request, exchanges, seen: new Set(), patience, way };
    const end = await this.#toTheEnd(journey);
    const through = wayProxy(journey.way);
    return { ...end, exchanges, ...(through !== undefined && { proxy: proxyName(through) }) };
  }

  /** All legs. What was answered of a journey that is ended on its way has no outcome to be kept with, and is told. */
  async #toTheEnd(journey: Journey): Promise<Exclude<LegEnd, { kind: 'follow' }>> {
    let end: LegEnd = { kind: 'follow', leg: firstLeg(journey.request) };
    try {
      while (end.kind === 'follow') end = await this.#travel(end.leg, journey);
      return end;
    } catch (error) {
      if (this.#parts.exchanges === 'kept') for (const exchange of journey.exchanges) this.#tell(exchange, journey);
      throw error;
    }
  }

  /** Tells of exchanges that have no outcome to be kept with. */
  tell(exchanges: readonly FetchedExchange[]): void {
    for (const { url, at, status } of exchanges) {
      const { host } = this.#parts.gates.of(new URL(url));
      this.#parts.events.add({ kind: 'answered', host, url, at, result: String(status) });
    }
  }

  #tell(exchange: FetchedExchange, { request }: Journey): void {
    this.tell([{ ...exchange, url: this.#tellable(exchange.url, request) }]);
  }

  /** What is told of an address. Where no exchange is kept, a file's may be signed: who knows it can fetch the file. */
  #tellable(url: string, { saves, tells }: FetchRequest): string {
    if (tells !== undefined) return tells(url);
    return this.#parts.exchanges === 'told' && saves === 'file' ? new URL(url).origin : url;
  }

  /** A tab in Chromium, for a site whose page must run; its requests pass the same gates. As `BrowserRoute.openTab`. */
  openTab(session: string, patience: Patience): Promise<BrowserTab> {
    return this.#browser.openTab(session, this.#parts.proxy, patience);
  }

  /** What changed since the last call and should outlive the process. */
  takeUnsaved(): Unsaved {
    const sessions = this.#sessionsChanged ? this.#parts.sessions.save() : undefined;
    this.#sessionsChanged = false;
    const { gates, robots, events } = this.#parts;
    return { sessions, hosts: gates.takeChanged(), robots: robots.takeChanged(), events: events.take() };
  }

  /** `onUnsaved` is told when there is something of that, again and again: no page may come for long that it is saved with. */
  watch(onUnsaved: () => void): void {
    this.#parts.gates.watch(onUnsaved);
    this.#parts.events.watch(onUnsaved);
  }

  /** What is waited for now: hosts that are down or have asked for time, proxies that rest. */
  waits(): HostWait[] {
    return [...this.#parts.gates.waits(), ...this.#parts.proxies.waits()];
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#parts.hop.close();
  }

  async #travel(leg: Leg, journey: Journey): Promise<LegEnd> {
    const { request, seen, patience } = journey;
    const cookie = this.#cookieFor(request, leg);
    const key = hopKey(leg.method, leg.url, cookie);
    if (request.permits?.(leg.url) === false) {
      const reason = `${leg.url.origin} is no place where this may come from`;
      return { kind: 'url_specific', status: undefined, reason, retriable: false, failure: 'address_refused' };
    }
    if (seen.has(key)) return permanent('it redirects in a circle');
    seen.add(key);
    const gate = this.#parts.gates.of(leg.url);
    const waits = patience.elsewhere !== 'return' || !isElsewhere(leg, request);
    const turnedAway = waits ? undefined : gate.turnAway();
    if (turnedAway !== undefined) return turnedAway;
    for (;;) {
      const tried = await this.#tryLeg(leg, cookie, journey, gate);
      if (tried === RECALLED) continue;
      const end = givenUp(tried, gate);
      if (waits || (end.kind !== 'rate_limited' && end.kind !== 'site_wide')) return end;
      const notBefore = whenToComeAgain(gate);
      return notBefore === undefined ? end : { ...end, notBefore };
    }
  }

  async #tryLeg(
    leg: Leg,
    cookie: string | undefined,
    journey: Journey,
    gate: HostGate,
  ): Promise<LegEnd | typeof RECALLED> {
    const { request, way, patience } = journey;
    const admission = await gate.admit(leg.url, way, patience.stop);
    switch (admission.kind) {
      case 'admitted':
        if (way.kind === 'assigned') journey.way = { kind: 'assigned', before: admission.proxy };
        return this.#send(leg, cookie, journey, gate, admission.pass);
      case 'unreached':
        return admission;
      case 'disallowed':
        return {
          kind: 'skipped',
          reason: `${isElsewhere(leg, request) ? `${leg.url.host}: ` : ''}${admission.reason}`,
        };
      case 'undecided':
        return this.#judge.judge(request, gate, { kind: 'site_wide', reason: admission.reason, because: 'robots' });
      case 'not_asked':
        if (way.kind === 'assigned') journey.way = { kind: 'assigned', before: admission.failure.proxy };
        return classify(admission.failure, contextAt(this.#parts.clock.now(), false));
      default:
        return assertNever(admission);
    }
  }

  /** Sends an admitted request. Whatever happens, its pass is ended, and a file that is not whole is gone. */
  async #send(
    leg: Leg,
    cookie: string | undefined,
    journey: Journey,
    gate: HostGate,
    pass: Pass,
  ): Promise<LegEnd | typeof RECALLED> {
    const { files, hop, clock, events } = this.#parts;
    const { patience } = journey;
    const proxy = wayProxy(journey.way);
    const { url, method, body } = leg;
    const download = journey.request.saves === 'file' ? new Download(files, url, journey.request.file) : undefined;
    const headers = this.#headersOf(leg, cookie);
    const { totalTimeoutMs } = journey.request;
    const options = {
      ...(body && { body }),
      ...(proxy && { proxy }),
      ...(download && { sink: download }),
      ...(totalTimeoutMs !== undefined && { timeouts: timeoutsWithin(totalTimeoutMs) }),
    };
    const row = { kind: 'unanswered', host: gate.host, url: this.#tellable(url.href, journey.request) } as const;
    let at = clock.now();
    let sent = false;
    const onSent = () => {
      at = clock.now();
      sent = pass.left();
      return sent;
    };
    try {
      const onHead = pass.heard;
      const result = await hop.send({ url, method, headers, onSent, onHead, ...options }, patience.abort);
      if (result.kind === 'aborted') {
        if (!result.recalled) {
          if (sent) events.add({ ...row, at, reason: GIVEN_UP });
          throw patience.abort.aborted ? patience.abort.reason : closed();
        }
        pass.giveBack();
        await download?.discard();
        return RECALLED;
      }
      const context = contextAt(clock.now(), isConditional(leg));
      if (result.kind === 'answer') {
        const meaning = classify(result, context);
        const { request, seen } = journey;
        const next = legAfter(leg, result.status, result.headers, seen.size - 1, request.maxRedirects);
        pass.end(meaning, next?.kind === 'follow' ? next.leg.url : undefined);
        const exchange = await exchangeOf(leg, at, result, download);
        return this.#answered(leg, journey, gate, exchange, download?.refusal ?? next ?? meaning);
      }
      const meaning = classify(result, context);
      pass.end(meaning);
      await download?.discard();
      const { code, reason } = result;
      if (reachesSite(code)) events.add({ ...row, at, reason });
      return this.#judge.judge(journey.request, gate, meaning);
    } catch (error) {
      await download?.discard();
      // A request that cannot be sent, for a header that a page suggested perhaps, is no reason to end a run.
      if (error instanceof CurlewError && error.code === ErrorCode.invalidRequest) return permanent(error.message);
      throw error;
    } finally {
      pass.end(undefined);
    }
  }

  #answered(
    leg: Leg,
    journey: Journey,
    gate: HostGate,
    response: FetchedExchange,
    meaning: NextLeg | Classified,
  ): LegEnd {
    const { request, exchanges } = journey;
    if (this.#parts.sessions.take(request.session, leg.url, response.responseHeaders)) this.#sessionsChanged = true;
    exchanges.push(response);
    if (this.#parts.exchanges === 'told') this.#tell(response, journey);
    if (meaning.kind === 'follow') return meaning;
    if (meaning.kind !== 'site_wide') this.#judge.clear(request);
    return meaning.kind === 'ok'
      ? { kind: 'ok', response }
      : this.#judge.judge(request, gate, meaning, response.status);
  }

  #headersOf(leg: Leg, cookie: string | undefined): HeaderList {
    const headers: (readonly [string, string])[] = [];
    if (headerValue(leg.headers, 'user-agent') === undefined) headers.push(['User-Agent', this.#parts.userAgent]);
    if (headerValue(leg.headers, 'accept') === undefined) headers.push(['Accept', ACCEPT]);
    headers.push(...leg.headers);
    if (cookie !== undefined) headers.push(['Cookie', cookie]);
    return headers;
  }

  /** The session's cookies and the request's own, which win and go to the origin they were given for, only. */
  #cookieFor({ session, cookies, url }: FetchRequest, leg: Leg): string | undefined {
    // RFC 6265 §5.4: one Cookie field at most, and the caller's own wins.
    if (headerValue(leg.headers, 'cookie') !== undefined) return undefined;
    const ofSession = this.#parts.sessions.cookieHeader(session, leg.url);
    if (Object.keys(cookies).length === 0 || new URL(url).origin !== leg.url.origin) return ofSession;
    return withOwnCookies(ofSession, cookies);
  }
}

async function exchangeOf(leg: Leg, at: number, answer: HopAnswer, download: Download | undefined) {
  const { status, statusText, headers, requestHeaders, remoteAddress, durationMs } = answer;
  const exchange: FetchedExchange = {
    url: leg.url.href,
    at,
    method: leg.method,
    requestHeaders,
    requestBody: leg.body,
    status,
    statusText,
    responseHeaders: headers,
    body: await bodyOf(answer, download),
    remoteAddress,
    durationMs,
  };
  return exchange;
}

/** Only the body of a 2xx answer goes to the sink; what a redirect or an error says is held in memory. */
function bodyOf(
  { body, status, headers }: HopAnswer,
  download: Download | undefined,
): FetchedBody | Promise<FetchedBody> {
  if (body.kind === 'memory') return body;
  if (download !== undefined) return download.commit(status, headers);
  throw new CurlewError(ErrorCode.internal, 'A body was streamed, and nobody took it.');
}

/** Whether the request was sent on to another host. */
function isElsewhere({ url }: Leg, request: FetchRequest): boolean {
  return url.host !== new URL(request.home ?? request.url).host;
}

function permanent(reason: string): OutcomeWithoutPage {
  return { kind: 'url_specific', status: undefined, reason, retriable: false };
}

function closed(): CurlewError {
  return new CurlewError(ErrorCode.internal, 'The fetch pipeline was closed while a request was under way.');
}
