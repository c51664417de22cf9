// One exchange as undici's parser reports it, turned into one HopResult. It settles exactly once: by the answer, by the
// first thing that goes wrong, or by the caller. A head without a whole and true body is never an answer.

import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../../platform/errors.ts';
import { onAbort } from '../../platform/on-abort.ts';
import type { HeaderList } from '../outcome.ts';
import { TunnelRefused } from '../proxy/connect-tunnel.ts';
import { hasBody, refuseManyHeaders, refuseUnaskedPart, spoiltBody } from './answer-rules.ts';
import { type BodyReceiver, MemoryBody, StreamedBody } from './body-receiver.ts';
import type { Connection } from './connection.ts';
import { codingsOf } from './content-coding.ts';
import { HopError, type HopFailureCode } from './failure-code.ts';
import { headersFromRaw, headerValue, latin1FromUtf8 } from './header-list.ts';
import {
  type HopLimits,
  type HopTimeouts,
  MOST_INFORMATIONAL,
  SLOWEST_DOWNLOAD_BYTES_PER_SECOND,
} from './hop-options.ts';
import { ENOUGH, type HopAnswer, type HopBody, type HopRequest, type HopResult } from './hop-result.ts';
import { failureOf } from './wire-failure.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
}

export interface HopExchangeOptions {
  readonly request: HopRequest;
  readonly requestHeaders: HeaderList;
  readonly timeouts: HopTimeouts;
  readonly limits: HopLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

export class HopExchange implements Dispatcher.DispatchHandler {
  /** Set by the connection that carries the request. */
  connection: Connection | undefined;
  readonly result: Promise<HopResult>;

  readonly #options: HopExchangeOptions;
  readonly #resolve: (result: HopResult) => void;
  readonly #reject: (error: unknown) => void;
  #stopListening = () => {};
  readonly #queuedAt: number;
  #totalTimer: NodeJS.Timeout;
  /** Ours and not undici's, which begins anew with each informational answer. */
  #headTimer: NodeJS.Timeout | undefined;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  #sentAt = 0;
  #informational = 0;
  #head: Head | undefined;
  #body: BodyReceiver | undefined;
  #maxEncodedBytes = 0;
  #encodedBytes = 0;

  constructor(options: HopExchangeOptions) {
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<HopResult>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#queuedAt = options.clock.monotonic();
    this.#totalTimer = setTimeout(this.#onTotalTimer, Math.min(options.timeouts.totalMs, LONGEST_TIMER_MS));
    const { signal } = options;
    if (signal === undefined) return;
    const giveUp = () => this.#settle({ kind: 'aborted' });
    if (signal.aborted) giveUp();
    else this.#stopListening = onAbort(signal, giveUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Throwing here lets undici drop the request and keep the connection.
    if (this.#settled) throw new Error('the request was given up before it was sent');
    if (this.#options.request.onSent?.() === false) {
      this.#settle({ kind: 'aborted', recalled: true });
      throw new Error('the request was recalled before it was sent');
    }
    this.#controller = controller;
    this.connection?.expectAnswer(this);
    this.#sentAt = this.#options.clock.monotonic();
    const { headersMs } = this.#options.timeouts;
    if (headersMs > 0) this.#headTimer = setTimeout(this.#onHeadTimer, Math.min(headersMs, LONGEST_TIMER_MS));
  }

  /** How much of the body has come, as sent. */
  get encodedBytes(): number {
    return this.#encodedBytes;
  }

  /** The connection has read far more for this answer than it can need. */
  giveUpEndless(): void {
    if (this.#head === undefined) {
      this.#fail('headers_too_large', 'the answer goes on and on before its header is complete');
      return;
    }
    this.#fail('encoded_too_large', `the body takes far more on the wire than the ${this.#encodedBytes} bytes in it`);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText: string | undefined,
  ): void {
    if (this.#settled) return;
    // undici takes it for informational and then trips over it.
    if (status < 100) {
      this.#fail('protocol', `the answer is not valid HTTP: its status is ${String(status).padStart(3, '0')}`);
      return;
    }
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MOST_INFORMATIONAL) this.#fail('protocol', 'the server keeps announcing an answer');
      return;
    }
    clearTimeout(this.#headTimer);
    const raw = controller.rawHeaders;
    const headers = headersFromRaw(Array.isArray(raw) ? raw : []);
    // undici reads it as UTF-8. Here a character is a byte, as in the fields.
    const head = { status, statusText: latin1FromUtf8(statusText ?? ''), headers };
    try {
      refuseManyHeaders(headers);
      this.#head = head;
      this.#options.request.onHead?.({ kind: 'answer', ...head });
      this.#body = this.#receiverFor(head);
    } catch (error) {
      this.#failWith(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#encodedBytes += chunk.length;
    if (this.#encodedBytes > this.#maxEncodedBytes) {
      this.#fail('encoded_too_large', `the body is longer than ${this.#maxEncodedBytes} bytes`);
      return;
    }
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    const durationMs = this.#options.clock.monotonic() - this.#sentAt;
    this.connection?.expectNothingMore();
    // One turn later whatever else the server sent has been seen: bytes behind the body mean that its length lied. The
    // microtask puts that turn behind the one in which undici frees the connection, so the next request can have it.
    queueMicrotask(() => setImmediate(() => this.#complete(durationMs)));
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#settled) return;
    const code = systemCodeOf(error);
    if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') this.#settle({ kind: 'aborted' });
    else if (error instanceof CurlewError) this.#throw(error);
    else if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') this.#throw(invalid(error));
    else this.#failWith(failureOf(error, this.#head !== undefined, this.#encodedBytes));
  }

  #complete(durationMs: number): void {
    const head = this.#head;
    const body = this.#body;
    if (this.#settled || head === undefined || body === undefined) return;
    const spoilt = this.#spoilt(head);
    if (spoilt !== undefined) {
      this.#failWith(spoilt);
      return;
    }
    body.finish().then(
      (received) => this.#settle(this.#answer(head, received, durationMs)),
      (error: unknown) => this.#failWith(error),
    );
  }

  #answer(head: Head, body: HopBody, durationMs: number): HopAnswer {
    const { requestHeaders } = this.#options;
    return { kind: 'answer', ...head, body, requestHeaders, remoteAddress: this.connection?.remoteAddress, durationMs };
  }

  // Where no body is allowed (HEAD, 204, 304) bytes behind the answer are ignored, and the connection is not used again.
  #spoilt(head: Head): HopError | undefined {
    const { connection } = this;
    if (connection === undefined || !this.#hasBody(head.status)) return undefined;
    const { gotMore, wasReset } = connection;
    return spoiltBody(head.headers, { bytes: this.#encodedBytes, gotMore, wasReset });
  }

  #hasBody(status: number): boolean {
    return hasBody(this.#options.request.method, status);
  }

  #receiverFor({ status, headers }: Head): BodyReceiver {
    const { request, limits } = this.#options;
    refuseUnaskedPart(status, request.headers);
    const codings = codingsOf(headers);
    const sink = status >= 200 && status <= 299 ? request.sink : undefined;
    this.#maxEncodedBytes = sink === undefined ? limits.maxEncodedBytes : limits.maxDownloadBytes;
    const announced = this.#hasBody(status) ? Number(headerValue(headers, 'content-length') ?? 0) : 0;
    if (announced > this.#maxEncodedBytes) {
      throw new HopError('encoded_too_large', `the body has ${announced} bytes, more than ${this.#maxEncodedBytes}`);
    }
    if (sink === undefined) return new MemoryBody(codings, limits);
    const flow = { pause: () => this.#controller?.pause(), resume: () => this.#controller?.resume() };
    return new StreamedBody(sink, codings, limits.maxDownloadBytes, flow, (error) => this.#failWith(error));
  }

  readonly #onTotalTimer = (): void => {
    const { clock, timeouts } = this.#options;
    const earnedMs =
      this.#body instanceof StreamedBody ? (this.#encodedBytes / SLOWEST_DOWNLOAD_BYTES_PER_SECOND) * 1000 : 0;
    const leftMs = this.#queuedAt + timeouts.totalMs + earnedMs - clock.monotonic();
    // Timers may fire a millisecond early.
    if (leftMs > 1) this.#totalTimer = setTimeout(this.#onTotalTimer, Math.min(leftMs, LONGEST_TIMER_MS));
    else
      this.#fail('total_timeout', `not done after ${timeouts.totalMs} ms, with ${this.#encodedBytes} bytes received`);
  };

  readonly #onHeadTimer = (): void => {
    this.#fail('headers_timeout', 'the server took too long to begin its answer');
  };

  #fail(code: HopFailureCode, reason: string): void {
    this.#failWith(new HopError(code, reason));
  }

  /** A `HopError` is the site's and becomes a result; anything else is ours and is thrown. */
  #failWith(error: unknown): void {
    if (error === ENOUGH && this.#head !== undefined && this.#body instanceof StreamedBody) {
      const durationMs = this.#options.clock.monotonic() - this.#sentAt;
      this.#settle(this.#answer(this.#head, this.#body.soFar, durationMs), 'cut');
      return;
    }
    if (!(error instanceof HopError)) {
      this.#throw(error);
      return;
    }
    const tunnel = error instanceof TunnelRefused ? { tunnelStatus: error.status } : {};
    this.#settle({ kind: 'failure', code: error.code, reason: error.message, head: this.#head, ...tunnel });
  }

  /** `cut`: though it is an answer, more of it is on its way. */
  #settle(result: HopResult, rest?: 'cut'): void {
    if (this.#settled) return;
    this.#resolve(result);
    this.#finish(result.kind !== 'answer' || rest === 'cut');
  }

  #throw(error: unknown): void {
    if (this.#settled) return;
    this.#reject(error);
    this.#finish(true);
  }

  #finish(broken: boolean): void {
    this.#settled = true;
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#headTimer);
    this.#stopListening();
    if (!broken) return;
    this.#body?.cancel();
    this.#controller?.abort(new Error('given up'));
  }
}

function invalid(error: Error): CurlewError {
  return new CurlewError(ErrorCode.invalidRequest, `The request cannot be sent: ${messageOf(error)}`, {
    remedy: 'Check its method, its header names and values, and its URL.',
    cause: error,
  });
}
