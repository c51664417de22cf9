// What the requests of one page load came to: counted, the documents among them recorded head by head, and all of them
// together held to one limit of bytes.

import type { Clock, Instant } from '../../platform/clock.ts';
import { HopError } from '../http/failure-code.ts';
import type { HopFailure } from '../http/hop-result.ts';
import type { HeaderList } from '../outcome.ts';
import type { OwnCookies } from '../session/own-cookies.ts';
import type { Admit, Admitted, RequestEnd, RequestKind } from './admit.ts';
import type { BrowserError } from './browser-result.ts';
import { type Dozing, GateWaits } from './gate-waits.ts';
import { RedirectChains } from './redirect-chains.ts';

/** The head of an answer as it came over the wire. */
export interface VisitAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly statusText: string;
  /** Order, case and repetition as on the wire. */
  readonly headers: HeaderList;
}

export type VisitEnd =
  | VisitAnswer
  | HopFailure
  | { readonly kind: 'refused'; readonly reason: string }
  /** A redirect that is not followed. */
  | { readonly kind: 'misled'; readonly reason: string }
  | { readonly kind: 'pending' };

export interface RefusedRequest {
  readonly url: string;
  readonly reason: string;
}

export interface TrafficReport {
  /** Requests that were let through. Those that Chromium answered from its cache are not among them. */
  readonly sent: number;
  /** Requests that did not leave: refused by `admit` or by the address guard, or in a circle. */
  readonly refused: number;
  /** The first twenty of those. */
  readonly refusals: readonly RefusedRequest[];
  /** Of those let through, how many got no usable answer. */
  readonly failed: number;
}

export interface PageTrafficOptions {
  /** The URL of the load, whose origin gets the caller's own header fields and cookies. */
  readonly url: URL;
  readonly headers: HeaderList;
  readonly ownCookies?: OwnCookies | undefined;
  readonly admit: Admit;
  /** What was asked for before the load began: the permission for the document of `url`. */
  readonly first?: Admitted | undefined;
  /** Is told when the page does nothing but wait for `admit`. */
  readonly dozing?: Dozing | undefined;
  /** Bytes of all bodies together, content codings taken off. */
  readonly maxBytes: number;
  /** Redirects of a document followed in a row. Default 5. */
  readonly maxRedirects?: number | undefined;
  readonly clock: Clock;
}

const MOST_REFUSALS_LISTED = 20;

/** How long the permission that a load begins with is kept for its document. */
const FIRST_KEPT_MS = 10_000;

/** The first document may not leave any more: the load has not begun, and makes room for others. */
export class LoadRecalled extends Error {
  override readonly name: string = 'LoadRecalled';
}

export class PageTraffic {
  readonly options: PageTrafficOptions;
  /** The documents that were asked for, in order. */
  readonly visits: TrackedRequest[] = [];
  readonly redirects: RedirectChains;
  readonly waits: GateWaits;
  /** Rejects with the first error that is not the site's doing, or when the load's bytes are used up. */
  readonly trouble: Promise<never>;
  readonly #reject: (error: unknown) => void;
  readonly #refusals: RefusedRequest[] = [];
  readonly #ended = new AbortController();
  #first: Admitted | undefined;
  readonly #firstTimer: NodeJS.Timeout;
  #sent = 0;
  #refused = 0;
  #failed = 0;
  #receivedBytes = 0;

  constructor(options: PageTrafficOptions) {
    this.options = options;
    this.#first = options.first;
    // A Chromium that hangs shall not keep the turn of a host.
    this.#firstTimer = setTimeout(() => this.takeFirst()?.giveBack(), FIRST_KEPT_MS).unref();
    this.waits = new GateWaits(options.clock, options.dozing);
    this.redirects = new RedirectChains(options.maxRedirects);
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.trouble = promise;
    this.#reject = reject;
  }

  /** Fires when the load is over: what is still under way is dropped. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  begin(url: URL, kind: RequestKind): TrackedRequest {
    const request = new TrackedRequest(this, url, kind);
    if (kind === 'document') this.visits.push(request);
    return request;
  }

  /** Counts bytes of a body. Throws `decoded_too_large` when the load has had enough, and ends the load with it. */
  receive(bytes: number): void {
    this.#receivedBytes += bytes;
    const { maxBytes } = this.options;
    if (this.#receivedBytes <= maxBytes) return;
    const error = new HopError('decoded_too_large', `the page and what it loads are larger than ${maxBytes} bytes`);
    this.fail(error);
    throw error;
  }

  countSent(): void {
    this.#sent += 1;
  }

  countRefused(url: URL, reason: string): void {
    this.#refused += 1;
    if (this.#refusals.length < MOST_REFUSALS_LISTED) this.#refusals.push({ url: url.href, reason });
  }

  countFailed(): void {
    this.#failed += 1;
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  end(): void {
    this.#ended.abort(new Error('the page load is over'));
    this.takeFirst()?.giveBack();
    this.waits.end();
  }

  /** The permission that the load began with, if nobody has had it. */
  takeFirst(): Admitted | undefined {
    const first = this.#first;
    this.#first = undefined;
    clearTimeout(this.#firstTimer);
    return first;
  }

  report(): TrafficReport {
    return { sent: this.#sent, refused: this.#refused, refusals: [...this.#refusals], failed: this.#failed };
  }
}

/** One request of a page, from the question whether it may leave to its end. */
export class TrackedRequest {
  readonly url: URL;
  readonly kind: RequestKind;
  /** When it left; until then, when the page asked for it. */
  at: Instant;
  /** From leaving to the head of the answer. */
  durationMs = 0;
  requestHeaders: HeaderList = [];
  /** The address connected to; undefined through a proxy, which does not tell. */
  remoteAddress: string | undefined;
  /** The head of the answer, also when its body failed afterwards. */
  answer: VisitAnswer | undefined;
  end: VisitEnd = { kind: 'pending' };
  /** Resolves when nothing more will come: from then on `end` holds. */
  readonly over: Promise<void>;
  readonly #onOver: () => void;
  #onRest: () => void = () => {};
  readonly #traffic: PageTraffic;
  #admitted: Admitted | undefined;
  #isFirst = false;
  #leftAt = 0;

  constructor(traffic: PageTraffic, url: URL, kind: RequestKind) {
    this.#traffic = traffic;
    this.url = url;
    this.kind = kind;
    this.at = traffic.options.clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#onOver = resolve;
  }

  /** Waits for the word to go. False: it must not leave. Rejects when `admit` does. */
  async admit(signal: AbortSignal): Promise<boolean> {
    const { waits, options } = this.#traffic;
    const question = { url: this.url, kind: this.kind };
    const admittance = this.#first() ?? (await waits.wait(() => options.admit(question, signal)));
    if (admittance.kind === 'refused') {
      this.end = admittance;
      this.#traffic.countRefused(this.url, admittance.reason);
      this.#isOver();
      return false;
    }
    this.#admitted = admittance;
    this.#onRest = waits.begin();
    return true;
  }

  /** It goes onto the wire. False: it may not leave any more. */
  leave(): boolean {
    const at = this.#admitted?.leave();
    if (at === undefined) return false;
    this.at = at;
    this.#leftAt = this.#traffic.options.clock.monotonic();
    return true;
  }

  /** It did not leave after all, and has to ask again. Throws when it is the first: then the load begins anew. */
  recalled(): void {
    this.#admitted?.giveBack();
    this.#admitted = undefined;
    this.#onRest();
    if (this.#isFirst) throw new LoadRecalled('recalled');
  }

  answered(answer: VisitAnswer): void {
    this.#traffic.countSent();
    this.durationMs = this.#traffic.options.clock.monotonic() - this.#leftAt;
    this.answer = answer;
    this.end = answer;
    this.#tell(answer);
  }

  failed(error: HopError): void {
    const failure = { kind: 'failure', code: error.code, reason: error.message, head: this.answer } as const;
    this.end = failure;
    if (error.code === 'address_refused') this.#traffic.countRefused(this.url, error.message);
    else {
      if (this.answer === undefined) this.#traffic.countSent();
      this.#traffic.countFailed();
    }
    this.#tell(failure);
    this.#isOver();
  }

  /** Its redirects lead no further. */
  misled({ message: reason }: BrowserError): void {
    this.end = { kind: 'misled', reason };
    if (this.answer === undefined) this.#traffic.countRefused(this.url, reason);
    this.#isOver();
  }

  /** The whole answer has been passed on. */
  passedOn(): void {
    this.#isOver();
  }

  /** Nobody waits for the answer any more. */
  dropped(): void {
    this.#tell({ kind: 'aborted' });
    this.#isOver();
  }

  /** What the load was let in with, if that was meant for this: Chromium goes to some hosts with https only. */
  #first(): Admitted | undefined {
    const first = this.#traffic.takeFirst();
    if (first === undefined) return undefined;
    this.#isFirst = this.url.href === addressOf(this.#traffic.options.url).href;
    if (this.#isFirst) return first;
    first.giveBack();
    return undefined;
  }

  #isOver(): void {
    this.#onRest();
    this.#onOver();
  }

  #tell(end: RequestEnd): void {
    const admitted = this.#admitted;
    this.#admitted = undefined;
    admitted?.learn(end);
  }
}

/** What of a URL goes to the site. */
export function addressOf(url: URL): URL {
  const address = new URL(url);
  address.username = '';
  address.password = '';
  address.hash = '';
  return address;
}
