// One request on the wire, one result: over HTTP/1.1 with keep-alive, through the address guard, under time and size
// limits, never following a redirect and never trying twice. A connection that the server closed while idle may fail the
// next request (`reset_before_answer`): repeating it here would break the promise of one request at a time per token.

import { type Clock, systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { type Sockets, systemSockets } from '../../platform/sockets.ts';
import { AddressGuard } from '../guard/address-guard.ts';
import type { HostPattern } from '../guard/host-pattern.ts';
import type { HeaderList } from '../outcome.ts';
import { type ProxyServer, proxyAuthorization } from '../proxy/proxy-server.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { Dialer } from './dialer.ts';
import { headerValue, withoutHeaders } from './header-list.ts';
import { HopExchange } from './hop-exchange.ts';
import { CONNECT_MS, DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type HopLimits, type HopTimeouts } from './hop-options.ts';
import type { HopRequest, HopResult } from './hop-result.ts';
import { judgeForwarded, mannerAfter, refusedTunnel } from './plain-proxying.ts';
import { Routes } from './routes.ts';

export interface HttpHopOptions {
  /** Hosts that may be reached although their address is not public. Default none. */
  readonly allow?: readonly HostPattern[];
  /** Default: the real network. */
  readonly sockets?: Sockets;
  /** Measures durations. Default: the system's; timers run on real time in any case. */
  readonly clock?: Clock;
  /** From the name to the last handshake of a new connection. Default 10 s. */
  readonly connectMs?: number;
  readonly timeouts?: Partial<HopTimeouts>;
  readonly limits?: Partial<HopLimits>;
  /** All names and values of a head together. Default 64 KiB. */
  readonly maxHeaderBytes?: number;
  /** Connections to one origin; further requests wait for a free one. Default 16. */
  readonly socketsPerOrigin?: number;
  /** An unused connection is closed after this, or earlier if the server says so. Default 4 s, below Apache's 5 s. */
  readonly idleSocketMs?: number;
  /** Root certificates in PEM, trusted besides those of Node. Default none. */
  readonly extraCa?: readonly string[];
}

const SET_HERE: ReadonlySet<string> = new Set(['host', 'connection', 'content-length']);
const METHODS_WITH_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);

export class HttpHop {
  readonly #routes: Routes;
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: HopTimeouts;
  readonly #limits: HopLimits;

  constructor(options: HttpHopOptions = {}) {
    const sockets = options.sockets ?? systemSockets;
    const dialer = new Dialer({
      sockets,
      guard: new AddressGuard(sockets, options.allow),
      connectMs: options.connectMs ?? CONNECT_MS,
      extraCa: options.extraCa ?? [],
    });
    this.#routes = new Routes({
      dialer,
      closing: this.#closing.signal,
      maxHeaderBytes: options.maxHeaderBytes ?? 65_536,
      socketsPerOrigin: options.socketsPerOrigin ?? 16,
      idleSocketMs: options.idleSocketMs ?? 4_000,
    });
    this.#clock = options.clock ?? systemClock;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /**
   * Sends the request and waits for the whole answer. Resolves with `aborted` as soon as `signal` fires, whatever it is
   * doing. Rejects only for what is not the site's doing: an invalid request, a failing sink, a closed network.
   */
  send(request: HopRequest, signal?: AbortSignal): Promise<HopResult> {
    const { url, proxy } = request;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return Promise.reject(notHttp(url));
    if (proxy === undefined || proxy.scheme === 'socks5' || url.protocol === 'https:') {
      return this.#tunnel(request, signal);
    }
    return this.#sendPlain(request, proxy, signal);
  }

  /** Ends every exchange as `aborted`, as it will every later one, and closes every connection. Twice is fine. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the transport was closed'));
    await this.#routes.close();
  }

  // A request that found no tunnel was not sent: it is not tried twice.
  async #sendPlain(request: HopRequest, proxy: ProxyServer, signal: AbortSignal | undefined): Promise<HopResult> {
    const { origin } = request.url;
    const { manners } = this.#routes.of(proxy);
    const manner = manners.get(origin);
    if (manner === 'forward') return judgeForwarded(await this.#forward(request, proxy, signal), proxy, undefined);
    const begun = this.#clock.monotonic();
    const result = await this.#tunnel(request, signal);
    const refused = refusedTunnel(result);
    if (refused === undefined || manner === 'neither') return result;
    const timeouts = request.timeouts ?? this.#timeouts;
    const totalMs = Math.max(1, timeouts.totalMs - (this.#clock.monotonic() - begun));
    const rest = { ...request, timeouts: { ...timeouts, totalMs } };
    const judged = judgeForwarded(await this.#forward(rest, proxy, signal), proxy, refused);
    const learned = mannerAfter(judged);
    if (learned !== undefined) manners.set(origin, learned);
    return judged;
  }

  #tunnel(request: HopRequest, signal: AbortSignal | undefined): Promise<HopResult> {
    const { url } = request;
    return this.#dispatch('tunnels', request, url.pathname + url.search, [], signal);
  }

  #forward(request: HopRequest, proxy: ProxyServer, signal: AbortSignal | undefined): Promise<HopResult> {
    const { url } = request;
    const authorization = proxyAuthorization(proxy);
    const forProxy: HeaderList = authorization === undefined ? [] : [['Proxy-Authorization', authorization]];
    return this.#dispatch('forwards', request, url.origin + url.pathname + url.search, forProxy, signal);
  }

  #dispatch(
    by: 'tunnels' | 'forwards',
    request: HopRequest,
    path: string,
    forProxy: HeaderList,
    signal: AbortSignal | undefined,
  ): Promise<HopResult> {
    if (signal?.aborted || this.#closing.signal.aborted) return Promise.resolve({ kind: 'aborted' });
    const timeouts = request.timeouts ?? this.#timeouts;
    const headers = sentHeaders(request);
    const exchange = new HopExchange({
      request,
      // What is for the proxy alone is kept nowhere.
      requestHeaders: recordedHeaders(request, headers),
      timeouts,
      limits: request.limits ?? this.#limits,
      clock: this.#clock,
      signal,
    });
    this.#routes.of(request.proxy)[by].dispatch(
      {
        origin: request.url.origin,
        path,
        method: request.method,
        headers: [...headers, ...forProxy].flat(),
        body: request.body ?? null,
        // The exchange sees to it.
        headersTimeout: 0,
        bodyTimeout: timeouts.idleMs,
      },
      exchange,
    );
    return exchange.result;
  }
}

function sentHeaders({ headers }: HopRequest): HeaderList {
  const own = withoutHeaders(headers, SET_HERE);
  return headerValue(own, 'accept-encoding') === undefined ? [...own, ['Accept-Encoding', ACCEPT_ENCODING]] : own;
}

// undici writes these fields itself: host and connection first, the length last.
function recordedHeaders({ url, method, body }: HopRequest, headers: HeaderList): HeaderList {
  const connection = method === 'HEAD' ? 'close' : 'keep-alive';
  const recorded: (readonly [string, string])[] = [['host', url.host], ['connection', connection], ...headers];
  const length = body?.length ?? 0;
  // RFC 9110 §8.6: a length of zero is only said for methods that expect content.
  if (length > 0 || METHODS_WITH_CONTENT.has(method)) recorded.push(['content-length', String(length)]);
  return recorded;
}

function notHttp(url: URL): CurlewError {
  return new CurlewError(ErrorCode.invalidRequest, `${url.href} is not an http or https URL`, {
    remedy: 'Only http and https can be fetched.',
  });
}
