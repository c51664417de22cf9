// One request of a page on its way out: asked for, sent through the guarded connections, and followed to the head of its
// answer. What becomes of it is told to the load it belongs to, and to whoever let it through.

import { type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CurlewError, systemCodeOf } from '../../platform/errors.ts';
import { HopError } from '../http/failure-code.ts';
import { MOST_HEADERS } from '../http/hop-options.ts';
import { failureOf } from '../http/wire-failure.ts';
import type { HeaderList } from '../outcome.ts';
import type { RequestKind } from './admit.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import type { PageTraffic, TrackedRequest } from './page-traffic.ts';
import { pairsOf, sentOnHeaders } from './proxy-headers.ts';

/** The way a request goes. */
export interface Route {
  readonly url: URL;
  readonly traffic: PageTraffic;
  readonly agent: GuardedAgent;
  /** Whether the connections end at the site itself, not at another proxy. */
  readonly direct: boolean;
  /** The longest silence while waiting for the head or within the body. */
  readonly idleMs: number;
}

/** The head of the answer. */
export interface OnwardHead {
  readonly response: IncomingMessage;
  readonly headers: HeaderList;
  /** Set when the protocol was switched. */
  readonly socket: Socket | undefined;
}

const MAX_HEADER_BYTES = 65_536;

// Two lengths that differ (RFC 9112 §6.3) are an error that Chromium reports to the page and, unlike a closed
// connection, never answers by trying again.
const BROKEN_ANSWER = 'HTTP/1.1 502 Not passed on by Curlew\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n';

/** Ends a request that gets no answer: to the page the network is broken. */
export function breakOff(socket: Socket | null): void {
  socket?.end(BROKEN_ANSWER);
}

export class OnwardRequest {
  /** Fires when Chromium closes its side, or the load is over. */
  readonly gone: AbortSignal;
  readonly traffic: PageTraffic;
  readonly kind: RequestKind;
  readonly #incoming: IncomingMessage;
  readonly #route: Route;
  readonly #tracked: TrackedRequest;
  #client: ClientRequest | undefined;
  #silence: () => HopError | undefined = () =>
    new HopError('headers_timeout', 'the server took too long to begin its answer');

  constructor(incoming: IncomingMessage, side: ServerResponse | Socket, kind: RequestKind, route: Route) {
    const closed = new AbortController();
    side.once('close', () => closed.abort(new Error('the page no longer waits for this')));
    this.gone = AbortSignal.any([closed.signal, route.traffic.ended]);
    this.traffic = route.traffic;
    this.kind = kind;
    this.#incoming = incoming;
    this.#route = route;
    this.#tracked = route.traffic.begin(route.url, kind);
  }

  /** Undefined when it must not leave. What rejects here is to be given to `failed`. */
  async open(): Promise<OnwardHead | undefined> {
    if (!(await this.#tracked.admit(this.gone))) return undefined;
    const { response, socket } = await this.#send();
    const { rawHeaders, statusCode = 0, statusMessage = '' } = response;
    if (rawHeaders.length > 2 * MOST_HEADERS) {
      throw new HopError('headers_too_large', `the answer has more than ${MOST_HEADERS} header fields`);
    }
    const headers = pairsOf(rawHeaders);
    this.#tracked.remoteAddress = this.#route.direct ? response.socket.remoteAddress : undefined;
    this.#tracked.answered({ kind: 'answer', status: statusCode, statusText: statusMessage, headers });
    return { response, headers, socket };
  }

  /** From here on, `silence` says what it means when nothing comes for a while; undefined: that is as it should be. */
  onSilence(silence: () => HopError | undefined): void {
    this.#silence = silence;
  }

  /** The request, or its answer, broke off. */
  failed(error: unknown): void {
    this.#client?.destroy();
    if (this.gone.aborted) this.#tracked.dropped();
    else if (error instanceof HopError) this.#tracked.failed(error);
    else {
      this.#tracked.dropped();
      this.traffic.fail(error);
    }
  }

  #send(): Promise<{ readonly response: IncomingMessage; readonly socket: Socket | undefined }> {
    const { url, agent, idleMs } = this.#route;
    const requestHeaders = sentOnHeaders(this.#incoming.rawHeaders, this.#tracked, this.traffic.options);
    this.#tracked.requestHeaders = requestHeaders;
    const client = openRequest({
      agent,
      host: url.hostname,
      port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      method: this.#incoming.method ?? 'GET',
      path: url.pathname + url.search,
      headers: requestHeaders.flat(),
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      timeout: idleMs,
      signal: this.gone,
    });
    this.#client = client;
    this.#incoming.pipe(client);
    client.on('timeout', () => {
      const failure = this.#silence();
      if (failure !== undefined) client.destroy(failure);
    });
    return new Promise((resolve, reject) => {
      client.on('error', (error) => reject(wireError(error, false, 0)));
      client.once('response', (response: IncomingMessage) => resolve({ response, socket: undefined }));
      client.once('upgrade', (response: IncomingMessage, socket: Socket, rest: Buffer) => {
        if (rest.length > 0) socket.unshift(rest);
        resolve({ response, socket });
      });
    });
  }
}

/** A `CurlewError` (a closed network) is ours; everything else is what happened on the wire. */
export function wireError(error: Error, headCame: boolean, bytes: number): Error {
  if (error instanceof CurlewError) return error;
  if (systemCodeOf(error) !== 'HPE_HEADER_OVERFLOW') return failureOf(error, headCame, bytes);
  return new HopError('headers_too_large', 'the header of the answer is too large', error);
}
