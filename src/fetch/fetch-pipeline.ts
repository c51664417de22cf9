// One request in, one outcome out. Every leg, redirects included, passes in this order: the breaker of its host, robots,
// the rate of its host, the address guard. What comes back teaches breaker and rate before anyone else hears of it.

import type { FileStore } from '../archive/file-store.ts';
import type { Clock } from '../platform/clock.ts';
import { classify } from './classify.ts';
import { Download } from './download.ts';
import type { FetchEvent, RememberedRobots, Unsaved } from './fetch-memory.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { HostGates } from './host-gates.ts';
import { headerValue } from './http/header-list.ts';
import type { HopAnswer, HopResult } from './http/hop-result.ts';
import type { HttpHop } from './http/http-hop.ts';
import { decideRedirect, hopKey } from './http/redirect.ts';
import type { FetchedExchange, HeaderList, Outcome, OutcomeWithoutPage } from './outcome.ts';
import type { Patience } from './patience.ts';
import { parseRetryAfter } from './politeness/retry-after.ts';
import { type ProxyServer, redactProxy } from './proxy/proxy-server.ts';
import type { Sessions } from './session/sessions.ts';

export interface PipelineParts {
  readonly hop: HttpHop;
  readonly gates: HostGates;
  readonly robots: RememberedRobots;
  /** What the parts reported and nobody has taken yet. */
  readonly events: FetchEvent[];
  readonly sessions: Sessions;
  /** Where downloads go. */
  readonly files: FileStore;
  readonly proxy: ProxyServer | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** The longest Retry-After that is obeyed. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8';

/** One request of a chain of redirects. */
interface Leg {
  readonly url: URL;
  readonly method: string;
  /** The caller's own fields, without cookies. */
  readonly headers: HeaderList;
  readonly body: Uint8Array | undefined;
}

/** What a leg came to: the end of the chain, or where it goes on. */
type LegEnd = { readonly kind: 'follow'; readonly leg: Leg } | { readonly kind: 'ok' } | OutcomeWithoutPage;

export class FetchPipeline {
  readonly #parts: PipelineParts;
  #sessionsChanged = false;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with what became of the request. Rejects with the reason of an aborted signal, and for what is not the
   * site's doing: a full disk, a closed network.
   */
  async fetch(request: FetchRequest, patience: Patience): Promise<Outcome> {
    const { proxy } = this.#parts;
    const exchanges: FetchedExchange[] = [];
    const common = proxy === undefined ? { exchanges } : { exchanges, proxy: redactProxy(proxy) };
    const seen = new Set<string>();
    let leg = firstLeg(request);
    for (;;) {
      const end = await this.#travel(leg, request, exchanges, seen, patience);
      if (end.kind === 'follow') {
        leg = end.leg;
        continue;
      }
      const response = exchanges.at(-1);
      if (end.kind !== 'ok') return { ...common, ...end };
      if (response !== undefined) return { ...common, kind: 'ok', response };
    }
  }

  /** What changed since the last call and should outlive the process. */
  takeUnsaved(): Unsaved {
    const sessions = this.#sessionsChanged ? this.#parts.sessions.save() : undefined;
    this.#sessionsChanged = false;
    const { gates, robots, events } = this.#parts;
    return { sessions, hosts: gates.takeChanged(), robots: robots.takeChanged(), events: events.splice(0) };
  }

  async close(): Promise<void> {
    await this.#parts.hop.close();
  }

  async #travel(
    leg: Leg,
    request: FetchRequest,
    exchanges: FetchedExchange[],
    seen: Set<string>,
    patience: Patience,
  ): Promise<LegEnd> {
    const { gates, sessions, files, clock } = this.#parts;
    const cookie = this.#cookieFor(request, leg.url);
    const key = hopKey(leg.method, leg.url, cookie);
    if (seen.has(key)) return refusal('it redirects in a circle');
    seen.add(key);
    const gate = gates.of(leg.url);
    const admission = await gate.admit(leg.url, patience.stop);
    if (admission.kind === 'refused') return { kind: 'skipped', reason: admission.reason };
    if (admission.kind === 'undecided') return { ...refusal(admission.reason), retriable: true };
    const download = request.saves === 'file' ? new Download(files, leg.url) : undefined;
    const at = clock.now();
    const result = await this.#send(leg, cookie, download, patience);
    if (result.kind === 'aborted') throw patience.abort.reason;
    if (result.kind === 'answer') {
      if (sessions.take(request.session, leg.url, result.headers)) this.#sessionsChanged = true;
      exchanges.push(await exchangeOf(leg, at, result, download));
      const next = redirectOf(leg, result, seen.size - 1);
      if (next !== undefined) {
        gate.learn(admission.ticket, { kind: 'ok' });
        return next;
      }
    } else await download?.discard();
    const meaning = classify(result, {
      now: clock.now(),
      conditional: isConditional(leg.headers),
      retryAfter: (value) => this.#retryAfter(value),
    });
    gate.learn(admission.ticket, meaning);
    return meaning;
  }

  #send(leg: Leg, cookie: string | undefined, download: Download | undefined, patience: Patience): Promise<HopResult> {
    const { hop, proxy, userAgent } = this.#parts;
    const headers: (readonly [string, string])[] = [];
    if (headerValue(leg.headers, 'user-agent') === undefined) headers.push(['User-Agent', userAgent]);
    if (headerValue(leg.headers, 'accept') === undefined) headers.push(['Accept', ACCEPT]);
    headers.push(...leg.headers);
    if (cookie !== undefined) headers.push(['Cookie', cookie]);
    return hop.send(
      {
        url: leg.url,
        method: leg.method,
        headers,
        ...(leg.body !== undefined && { body: leg.body }),
        ...(proxy !== undefined && { proxy }),
        ...(download !== undefined && { sink: download }),
      },
      patience.abort,
    );
  }

  /** The session's cookies and the request's own; the latter go to the origin the request was made for, only. */
  #cookieFor(request: FetchRequest, url: URL): string | undefined {
    const ofSession = this.#parts.sessions.cookieHeader(request.session, url);
    const names = Object.keys(request.cookies);
    if (names.length === 0 || new URL(request.url).origin !== url.origin) return ofSession;
    const own = names.map((name) => `${name}=${request.cookies[name]}`).join('; ');
    return ofSession === undefined ? own : `${ofSession}; ${own}`;
  }

  #retryAfter(value: string): number | undefined {
    const now = this.#parts.clock.now();
    const waitMs = parseRetryAfter(value, now, { maxMs: LONGEST_RETRY_AFTER_MS });
    return waitMs === undefined ? undefined : now + waitMs;
  }
}

function firstLeg({ url, method, headers, body }: FetchRequest): Leg {
  const given = Object.entries(headers);
  const typed = body !== undefined && headerValue(given, 'content-type') === undefined;
  return {
    url: new URL(url),
    method,
    headers: typed ? [...given, ['Content-Type', body.type]] : given,
    body: body?.bytes,
  };
}

function redirectOf(leg: Leg, answer: HopAnswer, followed: number): LegEnd | undefined {
  const decision = decideRedirect({
    status: answer.status,
    responseHeaders: answer.headers,
    url: leg.url,
    method: leg.method,
    requestHeaders: leg.headers,
    followed,
  });
  switch (decision.kind) {
    case 'none':
      return undefined;
    case 'refused':
      return refusal(decision.reason);
    case 'follow': {
      const { url, method, headers, keepsBody } = decision;
      return { kind: 'follow', leg: { url, method, headers, body: keepsBody ? leg.body : undefined } };
    }
  }
}

async function exchangeOf(
  leg: Leg,
  at: number,
  answer: HopAnswer,
  download: Download | undefined,
): Promise<FetchedExchange> {
  const { status, statusText, headers, requestHeaders, remoteAddress, durationMs, body } = answer;
  if (body.kind === 'memory') await download?.discard();
  return {
    url: leg.url.href,
    at,
    method: leg.method,
    requestHeaders,
    requestBody: leg.body,
    status,
    statusText,
    responseHeaders: headers,
    body: body.kind === 'memory' || download === undefined ? (body as never) : await download.commit(headers),
    remoteAddress,
    durationMs,
  };
}

function isConditional(headers: HeaderList): boolean {
  return headerValue(headers, 'if-none-match') !== undefined || headerValue(headers, 'if-modified-since') !== undefined;
}

function refusal(reason: string): OutcomeWithoutPage & { kind: 'url_specific' } {
  return { kind: 'url_specific', status: undefined, reason, retriable: false };
}
