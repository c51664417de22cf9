// Who decides, request by request, which way out is taken. A proxy is chosen when the request leaves, not before it waits for
// its turn. That proxies which fail get their rest is then the assigner's task too.

import type { Instant } from '../../platform/clock.ts';
import type { HopFailureCode } from '../http/failure-code.ts';
import type { ProxyServer } from './proxy-server.ts';

/** Why a request through a proxy got no answer. */
export interface ProxyTrouble {
  readonly failure: HopFailureCode;
  readonly reason: string;
}

export interface ProxyAssigner {
  /**
   * Resolves when there is a proxy that can be chosen. Rejects with the signal's reason on abort. `onRest` is told when the first
   * is back, each time all rest.
   */
  ready(stop: AbortSignal, onRest: (until: Instant) => void): Promise<void>;
  /**
   * The proxy for a request that leaves now; undefined when all rest. One that goes on after a redirect keeps the proxy that
   * it had (`before`), unless that rests by now.
   */
  choose(before?: ProxyServer): Promise<ProxyServer | undefined>;
  /** What became of a request that went through `proxy`: an answer came, or why not. */
  learn(proxy: ProxyServer, trouble: ProxyTrouble | undefined): void;
  /** When the first is back, while all rest; as far as it is known without looking. */
  readonly restUntil: Instant | undefined;
}
