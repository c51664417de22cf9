// A tunnel through a SOCKS5 proxy (RFC 1928, user and password RFC 1929). Names go to the proxy as they are.
// undici's own Socks5ProxyAgent is not used: it drops bytes that follow the handshake in the same packet, waits for
// its timer when the proxy hangs up, and takes neither our limits nor our failure codes.

import { isIPv4, isIPv6, type Socket } from 'node:net';
import { ipv6Bytes } from '../guard/address-class.ts';
import { HopError, type HopFailureCode } from '../http/failure-code.ts';
import { readBytes } from './byte-reader.ts';
import { type ProxyServer, redactProxy } from './proxy-server.ts';

const NO_AUTHENTICATION = 0x00;
const USER_AND_PASSWORD = 0x02;

// RFC 1928 §6. Where the proxy speaks of the target, the failure is the target's.
const REPLIES: Readonly<Record<number, readonly [code: HopFailureCode, meaning: string]>> = {
  1: ['proxy_refused', 'general failure'],
  2: ['proxy_refused', 'not allowed by its rules'],
  3: ['unreachable', 'network unreachable'],
  4: ['unreachable', 'host unreachable'],
  5: ['connect_refused', 'connection refused by the target'],
  6: ['unreachable', 'time to live expired'],
};

/** Turns a connection to a SOCKS5 proxy into one to `host:port`. Rejects with a `HopError` when the proxy will not. */
export async function openSocks5Tunnel(socket: Socket, proxy: ProxyServer, host: string, port: number): Promise<void> {
  await authenticate(socket, proxy);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), addressBytes(host), Buffer.from([port >> 8, port & 0xff])]));
  const [, reply = 255, , addressType = 0] = await readBytes(socket, 4);
  if (reply !== 0) {
    const [code, meaning] = REPLIES[reply] ?? ['proxy_refused', `reply ${reply}`];
    throw new HopError(code, `${redactProxy(proxy)} opened no way to ${host}:${port}: ${meaning}`);
  }
  // The address the proxy bound is of no interest, but it has to be read off the wire.
  const [nameLength = 0] = addressType === 3 ? await readBytes(socket, 1) : [addressType === 4 ? 16 : 4];
  await readBytes(socket, nameLength + 2);
}

async function authenticate(socket: Socket, proxy: ProxyServer): Promise<void> {
  const methods = proxy.credentials === undefined ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USER_AND_PASSWORD];
  socket.write(Buffer.from([5, methods.length, ...methods]));
  const [version, method] = await readBytes(socket, 2);
  if (version !== 5) throw new HopError('proxy_unreachable', `${redactProxy(proxy)} does not speak SOCKS5`);
  if (method === NO_AUTHENTICATION) return;
  if (method !== USER_AND_PASSWORD || proxy.credentials === undefined) {
    throw new HopError('proxy_auth', `${redactProxy(proxy)} wants a user and password, or another way to log in`);
  }
  const user = Buffer.from(proxy.credentials.user);
  const password = Buffer.from(proxy.credentials.password);
  if (user.length > 255 || password.length > 255) {
    throw new HopError('proxy_auth', `user or password for ${redactProxy(proxy)} is longer than 255 bytes`);
  }
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
  const [, status] = await readBytes(socket, 2);
  if (status !== 0) throw new HopError('proxy_auth', `${redactProxy(proxy)} wants another user or password`);
}

function addressBytes(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.from([4, ...ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new HopError('proxy_refused', `${host} is too long a name for SOCKS5`);
  return Buffer.concat([Buffer.from([3, name.length]), name]);
}
