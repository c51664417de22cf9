// How plain http goes through an HTTP proxy. By a tunnel, as https does: then every answer is the site's own, unchanged, and
// what goes wrong before is known to be the proxy's. But many proxies, squid as it comes among them, open tunnels to port
// 443 only. Those that say no are asked for the page itself, in absolute form (RFC 9112 §3.2.2). Whose answer that is nobody
// can see, so: 407 is the proxy's; the no that came for the tunnel is the proxy's too, until it has passed on something
// else; all others count as the site's. Pure.

import { wrongCredentials } from '../proxy/connect-tunnel.ts';
import { type ProxyServer, redactProxy } from '../proxy/proxy-server.ts';
import type { HopFailure, HopResult } from './hop-result.ts';

/** What is known of a proxy for one site. `neither`: it opens no tunnel, and said the same no to the page itself. */
export type PlainManner = 'tunnel' | 'forward' | 'neither';

// What proxies say that open no tunnel to such a port, or none at all.
const NO_TUNNEL: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** The status of a tunnel refused, when it is worth asking for the page itself. */
export function refusedTunnel(result: HopResult): number | undefined {
  const status = result.kind === 'failure' ? result.tunnelStatus : undefined;
  return status !== undefined && NO_TUNNEL.has(status) ? status : undefined;
}

/** Whose answer it is that came by way of `proxy`. `refused`: what it said to a tunnel, if nothing else came this way yet. */
export function judgeForwarded(result: HopResult, proxy: ProxyServer, refused: number | undefined): HopResult {
  const status = statusOf(result);
  if (status === undefined) return result;
  if (status === 407) return failure('proxy_auth', wrongCredentials(proxy).message);
  if (status !== refused) return result;
  return failure('proxy_refused', `${redactProxy(proxy)} answered ${status}, to a tunnel and to the request itself`);
}

/** What is known after the first answer that came by way of a proxy; undefined: no more than before. */
export function mannerAfter(judged: HopResult): PlainManner | undefined {
  if (statusOf(judged) !== undefined) return 'forward';
  return judged.kind === 'failure' && judged.code === 'proxy_refused' ? 'neither' : undefined;
}

function statusOf(result: HopResult): number | undefined {
  if (result.kind === 'answer') return result.status;
  return result.kind === 'failure' ? result.head?.status : undefined;
}

function failure(code: HopFailure['code'], reason: string): HopFailure {
  return { kind: 'failure', code, reason, head: undefined };
}
