// The question asked before any request of a page leaves, and the answer to it. Robots, breaker and rate are behind it.

import type { Instant } from '../../platform/clock.ts';
import type { HopAborted, HopFailure } from '../http/hop-result.ts';
import type { HeaderList } from '../outcome.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';

/** `document`: a page or a frame is navigated. `part`: everything else, such as scripts, images, fetches, WebSockets. */
export type RequestKind = 'document' | 'part';

export interface AdmitQuestion {
  /** http or https; a WebSocket is asked for under the http or https URL of its handshake. */
  readonly url: URL;
  readonly kind: RequestKind;
}

/** The head of an answer: all that politeness wants to know. */
interface AnswerHead {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: HeaderList;
}

/** How an admitted request ended: with an answer, without one, or nobody waited for it. */
export type RequestEnd = AnswerHead | HopFailure | HopAborted;

/** The permission to send one request. It ends with `giveBack`, or with `learn`. */
export interface Admitted {
  readonly kind: 'admitted';
  /** The proxy to go through. That of the first document is the page's; for tabs it is that of the tab. */
  readonly proxy?: ProxyServer;
  /**
   * The request goes onto the wire; gives that moment. Undefined: it may not leave any more, for its host has asked for time
   * meanwhile, say. Then it is to be given back, and asked for anew.
   */
  leave(): Instant | undefined;
  /** It does not leave. */
  giveBack(): void;
  learn(end: RequestEnd): void;
}

export type Admittance = Admitted | { readonly kind: 'refused'; readonly reason: string };

/**
 * Asked for every request, each hop of a redirect included, and may wait. The signal fires when the page no longer wants
 * the answer. A rejection (other than by that signal) ends the load, which rejects with it.
 */
export type Admit = (question: AdmitQuestion, signal: AbortSignal) => Promise<Admittance>;
