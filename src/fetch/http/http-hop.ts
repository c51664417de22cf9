// One request on the wire, one result: over HTTP/1.1 with keep-alive, through the address guard, under time and size
// limits, never following a redirect and never trying twice. A connection that the server closed while idle may fail the
// next request (`reset_before_answer`): repeating it here would break the promise of one request at a time per token.

import { Agent, Pool } from 'undici';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { type Sockets, systemSockets } from '../../platform/sockets.ts';
import { AddressGuard } from '../guard/address-guard.ts';
import { type HostPattern, normalHost } from '../guard/host-pattern.ts';
import type { HeaderList } from '../outcome.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { Connection } from './connection.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { Dialer } from './dialer.ts';
import { headerValue, withoutHeaders } from './header-list.ts';
import { HopExchange } from './hop-exchange.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type HopLimits, type HopTimeouts } from './hop-options.ts';
import type { HopRequest, HopResult } from './hop-result.ts';

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

/** Agents are kept for this many proxies; the one unused for longest goes first. */
const MOST_PROXIES = 64;
const DIRECT = '';
const SET_HERE: ReadonlySet<string> = new Set(['host', 'connection', 'content-length']);
const METHODS_WITH_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);

export class HttpHop {
  readonly #dialer: Dialer;
  readonly #agents = new Map<string, Agent>();
  readonly #retiring = new Set<Agent>();
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: HopTimeouts;
  readonly #limits: HopLimits;
  readonly #maxHeaderBytes: number;
  readonly #socketsPerOrigin: number;
  readonly #idleSocketMs: number;

  constructor(options: HttpHopOptions = {}) {
    const sockets = options.sockets ?? systemSockets;
    this.#dialer = new Dialer({
      sockets,
      guard: new AddressGuard(sockets, options.allow),
      connectMs: options.connectMs ?? 10_000,
      extraCa: options.extraCa ?? [],
    });
    this.#clock = options.clock ?? systemClock;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#maxHeaderBytes = options.maxHeaderBytes ?? 65_536;
    this.#socketsPerOrigin = options.socketsPerOrigin ?? 16;
    this.#idleSocketMs = options.idleSocketMs ?? 4_000;
  }

  /**
   * Sends the request and waits for the whole answer. Resolves with `aborted` as soon as `signal` fires, whatever it is
   * doing. Rejects only for what is not the site's doing: an invalid request, a failing sink, a closed network.
   */
  send(request: HopRequest, signal?: AbortSignal): Promise<HopResult> {
    const { url, method } = request;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return Promise.reject(notHttp(url));
    if (signal?.aborted || this.#closing.signal.aborted) return Promise.resolve({ kind: 'aborted' });
    const timeouts = request.timeouts ?? this.#timeouts;
    const headers = sentHeaders(request);
    const exchange = new HopExchange({
      request,
      requestHeaders: recordedHeaders(request, headers),
      timeouts,
      limits: request.limits ?? this.#limits,
      clock: this.#clock,
      signal,
    });
    this.#agentFor(request.proxy).dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers.flat(),
        body: request.body ?? null,
        headersTimeout: timeouts.headersMs,
        bodyTimeout: timeouts.idleMs,
      },
      exchange,
    );
    return exchange.result;
  }

  /** Ends every exchange as `aborted`, as it will every later one, and closes every connection. Twice is fine. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the transport was closed'));
    await Promise.all([...this.#agents.values(), ...this.#retiring].map((agent) => agent.destroy()));
  }

  #agentFor(proxy: ProxyServer | undefined): Agent {
    const key = proxy === undefined ? DIRECT : JSON.stringify(proxy);
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      agent = this.#newAgent(proxy);
      this.#agents.set(key, agent);
      this.#forgetOldestProxy();
    } else if (key !== DIRECT) {
      // A Map remembers the order of insertion: the first key is the one unused for longest.
      this.#agents.delete(key);
      this.#agents.set(key, agent);
    }
    return agent;
  }

  #forgetOldestProxy(): void {
    const proxies = [...this.#agents.keys()].filter((key) => key !== DIRECT);
    const oldest = proxies[0];
    if (oldest === undefined || proxies.length <= MOST_PROXIES) return;
    const agent = this.#agents.get(oldest);
    this.#agents.delete(oldest);
    if (agent === undefined) return;
    // Its exchanges under way end as they would have; only then its connections go.
    this.#retiring.add(agent);
    agent.close(() => this.#retiring.delete(agent));
  }

  #newAgent(proxy: ProxyServer | undefined): Agent {
    return new Agent({
      factory: (origin) => {
        const url = new URL(origin);
        const target = {
          host: normalHost(url.hostname),
          port: Number(url.port === '' ? { 'http:': 80, 'https:': 443 }[url.protocol] : url.port),
          secure: url.protocol === 'https:',
        };
        const options = {
          maxHeaderBytes: this.#maxHeaderBytes,
          idleSocketMs: this.#idleSocketMs,
          direct: proxy === undefined,
          dial: () => this.#dialer.dial(target, proxy, this.#closing.signal),
        };
        return new Pool(url, {
          connections: this.#socketsPerOrigin,
          factory: (address) => new Connection(address, options),
          allowH2: false,
        });
      },
    });
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
