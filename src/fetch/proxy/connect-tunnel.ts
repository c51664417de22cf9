// A tunnel through an HTTP proxy: CONNECT (RFC 9110 §9.3.6), for https and http targets alike. So every answer that
// arrives afterwards is the site's own, and what goes wrong here is the proxy's, unless it says that it is the target's.

import type { Socket } from 'node:net';
import { HopError } from '../http/failure-code.ts';
import { readUntil } from './byte-reader.ts';
import { type ProxyServer, proxyAuthorization, redactProxy } from './proxy-server.ts';

const LONGEST_ANSWER_BYTES = 16_384;

/** The proxy is there and speaks HTTP, and opens no tunnel to this target. */
export class TunnelRefused extends HopError {
  override readonly name: string = 'TunnelRefused';
  readonly status: number;

  constructor(status: number, reason: string) {
    super('proxy_refused', reason);
    this.status = status;
  }
}

/** Turns a connection to an HTTP proxy into one to `host:port`. Rejects with a `HopError` when the proxy will not. */
export async function openConnectTunnel(socket: Socket, proxy: ProxyServer, host: string, port: number): Promise<void> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await finalStatus(socket);
  if (status === undefined) throw new HopError('proxy_unreachable', `${redactProxy(proxy)} does not answer in HTTP`);
  if (status <= 299) return;
  if (status === 407) throw wrongCredentials(proxy);
  // RFC 9110 §15.6.3 and §15.6.5. A proxy must not rest, with all that goes through it, for targets that are gone.
  if (status === 502 || status === 504) {
    throw new HopError('unreachable', `${redactProxy(proxy)} could not reach ${target} (${status})`);
  }
  const reason = `${redactProxy(proxy)} answered ${status} when asked for a tunnel to ${target}`;
  throw new TunnelRefused(status, reason);
}

/** What 407 means, whatever it is the answer to. */
export function wrongCredentials(proxy: ProxyServer): HopError {
  return new HopError('proxy_auth', `${redactProxy(proxy)} wants another user or password`);
}

/** The status of the answer, from 200 to 599; undefined when there is none to be found. Its body, if any, is not read. */
async function finalStatus(socket: Socket): Promise<number | undefined> {
  let left = LONGEST_ANSWER_BYTES;
  for (;;) {
    const head = await readUntil(socket, '\r\n\r\n', left);
    const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)[ \r]/.exec(head)?.[1]);
    if (Number.isNaN(status)) return undefined;
    // RFC 9110 §15.2: informational answers may come before the one that counts.
    if (status >= 200) return status;
    left -= head.length;
  }
}
