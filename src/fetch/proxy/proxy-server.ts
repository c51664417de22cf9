// A proxy as the user writes it: `http://`, `https://` or `socks5://`, with user and password if it wants them.
// Its password leaves this object only towards the proxy itself; whatever is shown or stored uses `redactProxy`.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { normalHost } from '../guard/host-pattern.ts';

/** A proxy as it was read from its URL. `redactProxy` and `proxyName` write it without its password. */
export interface ProxyServer {
  readonly scheme: 'http' | 'https' | 'socks5';
  readonly host: string;
  readonly port: number;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const DEFAULT_PORT = { http: 80, https: 443, socks5: 1080 } as const;

/**
 * Reads a proxy URL. `socks:` and `socks5h:` mean `socks5:`; names of targets are always resolved by the proxy.
 * Throws a `usage` error, which does not repeat the URL's password.
 */
export function parseProxy(text: string): ProxyServer {
  const url = URL.parse(text);
  const scheme = url === null ? undefined : schemeOf(url.protocol);
  const user = decoded(url?.username ?? '');
  const password = decoded(url?.password ?? '');
  if (url === null || scheme === undefined || url.hostname === '' || user === undefined || password === undefined) {
    throw new CurlewError(ErrorCode.usage, `${redactProxy(text)} is not a proxy that Curlew can use`, {
      remedy: 'Write http://host:port, https://host:port or socks5://user:password@host:port.',
    });
  }
  // RFC 7617 §2: a user without a name is one too; some proxies want a token for a password and nothing else.
  const credentials = user === '' && password === '' ? undefined : { user, password };
  const port = url.port === '' ? DEFAULT_PORT[scheme] : Number(url.port);
  return { scheme, host: normalHost(url.hostname), port, credentials };
}

/** What an HTTP proxy is told of user and password (RFC 7617); undefined when there are none. */
export function proxyAuthorization({ credentials }: ProxyServer): string | undefined {
  if (credentials === undefined) return undefined;
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
}

/** `scheme://host:port`, never user or password, of a proxy or of anything that was meant to be one. */
export function redactProxy(proxy: ProxyServer | string): string {
  if (typeof proxy !== 'string') {
    const host = proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host;
    return `${proxy.scheme}://${host}:${proxy.port}`;
  }
  const url = URL.parse(proxy);
  return url === null || url.host === '' ? 'the proxy given' : `${url.protocol}//${url.host}`;
}

function schemeOf(protocol: string): ProxyServer['scheme'] | undefined {
  switch (protocol) {
    case 'http:':
      return 'http';
    case 'https:':
      return 'https';
    case 'socks:':
    case 'socks5:':
    case 'socks5h:':
      return 'socks5';
    default:
      return undefined;
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
