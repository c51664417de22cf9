// One request of a page on its way out: asked for, sent through the guarded connections, and followed to the head of its
// answer. What becomes of it is told to the load it belongs to, and to whoever let it through.

import {
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../../platform/errors.ts';
import { refuseManyHeaders, refuseUnaskedPart } from '../http/answer-rules.ts';
import { HopError } from '../http/failure-code.ts';
import { headersFromRaw, headerValue } from '../http/header-list.ts';
import { MOST_INFORMATIONAL } from '../http/hop-options.ts';
import { failureOf } from '../http/wire-failure.ts';
import type { HeaderList } from '../outcome.ts';
import type { RequestKind } from './admit.ts';
import { AnswerEnd, isParserError } from './answer-end.ts';
import { BrowserError } from './browser-result.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import type { PageTraffic, TrackedRequest } from './page-traffic.ts';
import { sentOnHeaders } from './proxy-headers.ts';
import type { DocumentRequest, RedirectChain } from './redirect-chains.ts';

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
  readonly end: AnswerEnd;
  /** Set when the protocol was switched. */
  readonly socket: Socket | undefined;
}

/** It may not leave any more: its host asked for time while a connection was made for it, or it lost its turn. */
const RECALLED = Symbol('recalled');

const MAX_HEADER_BYTES = 65_536;

/** What node:http takes for no limit. With any other it would drop the fields above it, and nobody could count them. */
const EVERY_HEADER = 0;

// Two lengths that differ (RFC 9112 §6.3) are an error that Chromium reports to the page and, unlike a closed
// connection, never answers by trying again.
const BROKEN_ANSWER = 'HTTP/1.1 502 Not passed on by Curlew\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n';

/** Ends a request that gets no answer: to the page the network is broken. */
export function breakOff(socket: Socket): void {
  socket.end(BROKEN_ANSWER);
}

/** The same for an answer whose turn may not have come: Chromium asks again before it has seen the end of a redirect. */
export function breakOffAnswer(outgoing: ServerResponse): void {
  if (outgoing.socket === null) outgoing.once('socket', breakOff);
  else breakOff(outgoing.socket);
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

  /**
   * Undefined when it must not leave. What rejects here is to be given to `failed`. Only with `upgrade` may the answer switch
   * the protocol, and then its socket is the caller's.
   */
  async open(wanted: 'answer' | 'upgrade' = 'answer'): Promise<OnwardHead | undefined> {
    const requestHeaders = sentOnHeaders(this.#incoming.rawHeaders, this.#tracked, this.traffic.options);
    const asked = { method: this.#method, url: this.#route.url, cookie: headerValue(requestHeaders, 'cookie') };
    const chain = this.kind === 'document' ? this.traffic.redirects.enter(asked) : undefined;
    const head = await this.#leave(requestHeaders);
    if (head === undefined) return undefined;
    try {
      this.gone.throwIfAborted();
      if (head.socket !== undefined && wanted === 'answer') {
        throw new HopError('protocol', 'the answer is not valid HTTP: bad upgrade');
      }
      this.#judge(head, asked, chain);
    } catch (error) {
      // A socket that has switched is nobody's any more: neither the request nor the agent would close it.
      head.socket?.destroy();
      throw error;
    }
    return head;
  }

  /** The whole answer has been passed on. */
  passedOn(): void {
    this.#tracked.passedOn();
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
    else if (error instanceof BrowserError) this.#tracked.misled(error);
    else {
      this.#tracked.dropped();
      this.traffic.fail(error);
    }
  }

  get #method(): string {
    return this.#incoming.method ?? 'GET';
  }

  /** Notes the answer. Throws when it is none that plain HTTP would take, or follow. */
  #judge({ response, headers }: OnwardHead, asked: DocumentRequest, chain: RedirectChain | undefined): void {
    const { statusCode: status = 0, statusMessage: statusText = '' } = response;
    // The parser takes any three digits.
    if (status < 100) {
      throw new HopError('protocol', `the answer is not valid HTTP: its status is ${String(status).padStart(3, '0')}`);
    }
    refuseManyHeaders(headers);
    this.#tracked.remoteAddress = this.#route.direct ? response.socket.remoteAddress : undefined;
    this.#tracked.answered({ kind: 'answer', status, statusText, headers });
    refuseUnaskedPart(status, this.#tracked.requestHeaders);
    if (chain !== undefined) this.traffic.redirects.answered(chain, asked, status, headers);
  }

  /** Asks, and asks again when it was recalled before it got away. */
  async #leave(requestHeaders: HeaderList): Promise<OnwardHead | undefined> {
    this.#tracked.requestHeaders = requestHeaders;
    while (await this.#tracked.admit(this.gone)) {
      const head = await this.#send(requestHeaders);
      if (head !== RECALLED) return head;
      this.#tracked.recalled();
    }
    return undefined;
  }

  #send(requestHeaders: HeaderList): Promise<OnwardHead | typeof RECALLED> {
    const { url, agent, idleMs } = this.#route;
    const client = opened({
      agent,
      host: url.hostname,
      port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      method: this.#method,
      path: url.pathname + url.search,
      headers: requestHeaders.flat(),
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      timeout: idleMs,
      signal: this.gone,
    });
    client.maxHeadersCount = EVERY_HEADER;
    this.#client = client;
    client.on('timeout', () => {
      const failure = this.#silence();
      if (failure !== undefined) client.destroy(failure);
    });
    return new Promise((resolve, reject) => {
      client.on('error', (error) => reject(wireError(error, false, 0)));
      // It has its connection, and nothing of it has been written: node:http does that when this is over.
      client.once('socket', () => {
        if (this.#tracked.leave()) {
          this.#incoming.pipe(client);
          return;
        }
        resolve(RECALLED);
        client.destroy();
      });
      let informational = 0;
      client.on('information', () => {
        informational += 1;
        if (informational <= MOST_INFORMATIONAL) return;
        reject(new HopError('protocol', 'the server keeps announcing an answer'));
      });
      const headOf = (response: IncomingMessage, socket: Socket | undefined): OnwardHead => ({
        response,
        headers: headersFromRaw(response.rawHeaders),
        end: new AnswerEnd(client, response),
        socket,
      });
      client.once('response', (response: IncomingMessage) => resolve(headOf(response, undefined)));
      client.once('upgrade', (response: IncomingMessage, socket: Socket, rest: Buffer) => {
        if (rest.length > 0) socket.unshift(rest);
        resolve(headOf(response, socket));
      });
    });
  }
}

/** What the caller wants sent may not be fit to be sent: that is his request's fault, as over plain HTTP. */
function opened(options: RequestOptions): ClientRequest {
  try {
    return openRequest(options);
  } catch (error) {
    throw new CurlewError(ErrorCode.invalidRequest, `The request cannot be sent: ${messageOf(error)}`, {
      remedy: 'Check its header names and values, and its cookies.',
      cause: error,
    });
  }
}

/** A `CurlewError` (a closed network) is ours; everything else is what happened on the wire. */
export function wireError(error: Error, headCame: boolean, bytes: number): Error {
  if (error instanceof CurlewError) return error;
  if (systemCodeOf(error) === 'HPE_HEADER_OVERFLOW') {
    return new HopError('headers_too_large', 'the header of the answer is too large', error);
  }
  if (!isParserError(error)) return failureOf(error, headCame, bytes);
  const nonsense = error.message.replace(/^Parse Error: /, '');
  return new HopError('protocol', `the answer is not valid HTTP: ${nonsense}`, error);
}
