// Who decides, request by request, which way out is taken. The pipeline asks before a request and tells what became of it.
// That proxies which fail get their rest is then the assigner's task too.

import type { Outcome } from '../outcome.ts';
import type { ProxyServer } from './proxy-server.ts';

export interface ProxyAssigner {
  /** The proxy for the next request. Waits while there is none; rejects with the signal's reason on abort. */
  assign(stop: AbortSignal): Promise<ProxyServer>;
  /** What became of a request that went through `proxy`. */
  learn(proxy: ProxyServer, outcome: Outcome): Promise<void>;
  /** What was asked for Curlew's own sake, as robots.txt, failed at `proxy`. */
  noteFailure(proxy: ProxyServer, code: string): void;
}
