// A tunnel through an HTTP proxy: CONNECT (RFC 9110 §9.3.6), for https and http targets alike. So every answer that
// arrives afterwards is the site's own, and whatever goes wrong here is the proxy's.

import type { Socket } from 'node:net';
import { HopError } from '../http/failure-code.ts';
import { readUntil } from './byte-reader.ts';
import { type ProxyServer, redactProxy } from './proxy-server.ts';

const LONGEST_ANSWER_BYTES = 16_384;

/** Turns a connection to an HTTP proxy into one to `host:port`. Rejects with a `HopError` when the proxy will not. */
export async function openConnectTunnel(socket: Socket, proxy: ProxyServer, host: string, port: number): Promise<void> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  if (proxy.credentials !== undefined) {
    const { user, password } = proxy.credentials;
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await readUntil(socket, '\r\n\r\n', LONGEST_ANSWER_BYTES);
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(answer)?.[1]);
  if (status >= 200 && status <= 299) return;
  if (status === 407) throw new HopError('proxy_auth', `${redactProxy(proxy)} wants another user or password`);
  const said = Number.isNaN(status) ? 'did not answer in HTTP' : `answered ${status}`;
  throw new HopError('proxy_refused', `${redactProxy(proxy)} ${said} when asked for a tunnel to ${target}`);
}
