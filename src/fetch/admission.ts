// What the gate of a host says to a request: it may leave, it may not, or it is of no use.

import type { Instant } from '../platform/clock.ts';
import type { AnswerHead, Classified } from './classify.ts';
import type { OutcomeWithoutPage } from './outcome.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';
import type { NotAsked } from './robots/load-robots.ts';

/** The permission to send one request. `end` or `giveBack` must follow. */
export interface Pass {
  /** The request goes onto the wire, and the next one may follow in its time. False: it may not leave any more. */
  left(): boolean;
  /** It did not leave. */
  giveBack(): void;
  /** The head of the answer is here, and its body may be long in coming: what it asks for holds from now on. */
  heard(head: AnswerHead): void;
  /**
   * What the answer means; undefined when the request was given up. `sentOn` is where it redirects to. Only the first call
   * counts.
   */
  end(meaning: Classified | undefined, sentOn?: URL): void;
}

export type Admission =
  /** `proxy`: the one that it has to go through. */
  | { readonly kind: 'admitted'; readonly pass: Pass; readonly proxy: ProxyServer | undefined }
  /** robots.txt says no. */
  | { readonly kind: 'disallowed'; readonly reason: string }
  /** robots.txt is unreachable, and without it the answer is not yet. */
  | { readonly kind: 'undecided'; readonly reason: string }
  /** The host has not answered once in this run, and is not waited for any longer. */
  | { readonly kind: 'unreached'; readonly reason: string }
  | NotAsked;

/** The proxy that a request is bound to began to rest while it waited for its turn. */
export const LOST: Admission = {
  kind: 'not_asked',
  failure: { kind: 'failure', code: 'proxy_unreachable', reason: 'its proxy rests by now', head: undefined },
};

/** What is said to a request that need not wait; `notBefore` is when it may come again. */
export type TurnedAway = Extract<OutcomeWithoutPage, { kind: 'rate_limited' | 'site_wide' | 'unreached' }>;

/** When a request that was sent on to a host is worth another try there; undefined when it may as well come now. */
export function whenToComeAgain(host: { turnAway(): TurnedAway | undefined }): Instant | undefined {
  const turnedAway = host.turnAway();
  return turnedAway !== undefined && 'notBefore' in turnedAway ? turnedAway.notBefore : undefined;
}
