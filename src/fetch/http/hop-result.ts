// One request on the wire and what came of it. Redirects, robots, rates and retries are other modules' matters.

import type { HeaderList } from '../outcome.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import type { HopFailureCode } from './failure-code.ts';
import type { HopLimits, HopTimeouts } from './hop-options.ts';

export interface HopRequest {
  /** http or https. User and password in it are not sent. */
  readonly url: URL;
  readonly method: string;
  /** Sent in this order and case. `Accept-Encoding` is added when absent; host, connection and length are set here. */
  readonly headers: HeaderList;
  readonly body?: Uint8Array;
  readonly proxy?: ProxyServer;
  /** Takes the body of a 2xx answer as it comes. Without it, and for every other status, the body is held in memory. */
  readonly sink?: BodySink;
  /**
   * Called once, when the request goes onto the wire; never, when it does not come to that. False recalls it in the last
   * moment: nothing of it is sent, and the result is `aborted`.
   */
  readonly onSent?: () => boolean;
  /** Called once, when the head of the answer has come; its body may be long in coming, or be broken. */
  readonly onHead?: (head: Pick<HopAnswer, 'kind' | 'status' | 'headers'>) => void;
  /** Instead of the transport's own. */
  readonly timeouts?: HopTimeouts;
  /** Instead of the transport's own. */
  readonly limits?: HopLimits;
}

/** Takes the decoded bytes of a download, one chunk after the other. What it got is worthless unless an answer follows. */
export interface BodySink {
  /**
   * The next chunk comes when this resolves. A rejection ends the request, and `send` rejects with it; one with `ENOUGH`
   * makes an answer of what has come, and the rest is not waited for.
   */
  write(chunk: Uint8Array): Promise<void>;
}

/** What a sink rejects with that wants no more. */
export const ENOUGH = new Error('the rest of the body is not wanted');

export type HopBody =
  | {
      readonly kind: 'memory';
      /** As received, content coding still on. */
      readonly encoded: Uint8Array;
      /** Coding taken off. The same object when there was none, or one that nobody knows. */
      readonly decoded: Uint8Array;
    }
  | { readonly kind: 'streamed'; readonly encodedBytes: number; readonly decodedBytes: number };

/** A whole answer: head and body complete, lengths and codings true. Any status from 200 to 599. */
export interface HopAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly statusText: string;
  /** Order, case and repetition as on the wire. */
  readonly headers: HeaderList;
  readonly body: HopBody;
  /** What was sent, with the fields the transport added. */
  readonly requestHeaders: HeaderList;
  /** The address connected to; undefined through a proxy, which does not tell. */
  readonly remoteAddress: string | undefined;
  /** From the first byte sent to the last received. */
  readonly durationMs: number;
}

/** No usable answer. */
export interface HopFailure {
  readonly kind: 'failure';
  readonly code: HopFailureCode;
  /** What happened, as a clause for people. */
  readonly reason: string;
  /** The head, when it had come before the failure: a 429 with a broken body is still a 429. */
  readonly head: { readonly status: number; readonly headers: HeaderList } | undefined;
  /** What the proxy answered when it was asked for a tunnel and opened none. */
  readonly tunnelStatus?: number;
  /** The proxy that it is the failure of, where the caller did not name one. */
  readonly proxy?: ProxyServer;
}

/** The caller's signal fired, the transport was closed, or the request was recalled. Says nothing about the site. */
export interface HopAborted {
  readonly kind: 'aborted';
  /** `onSent` said no. */
  readonly recalled?: true;
}

export type HopResult = HopAnswer | HopFailure | HopAborted;
