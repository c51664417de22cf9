// How a proxy is called where it is stored or shown: scheme, host and port, and, since one gateway may have many accounts,
// a mark of the user. Never the user itself, never a password.

import { hash } from 'node:crypto';
import { type ProxyServer, parseProxy, redactProxy } from './proxy-server.ts';

const MARK_LENGTH = 8;

/**
 * The name of a proxy, given as such, as a URL, or by its name: `http://gate.example:7777#1f0c9a2e`. Whoever has the
 * credentials can tell by it which proxy a table or a message means. Throws `usage` for what is no proxy.
 */
export function proxyName(proxy: ProxyServer | string): string {
  if (typeof proxy === 'string') return isName(proxy) ? proxy : proxyName(parseProxy(proxy));
  const { credentials } = proxy;
  const mark = credentials === undefined ? '' : `#${hash('sha256', credentials.user).slice(0, MARK_LENGTH)}`;
  return redactProxy(proxy) + mark;
}

function isName(text: string): boolean {
  return /^[a-z0-9]+:\/\/[^/@#]+#[0-9a-f]{8}$/.test(text);
}
