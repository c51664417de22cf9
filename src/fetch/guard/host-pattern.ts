// A host that the user lets through the address guard: `HOST` on every port, or `HOST:PORT` on that one.
// It is compared with the host written in the URL, never with an address a name resolves to.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';

export interface HostPattern {
  /** Host name in lower case without a trailing dot, or an IP address without brackets. */
  readonly host: string;
  /** Undefined means every port. */
  readonly port: number | undefined;
}

const PARTS = /^(?<host>\[[^\]]+\]|[^:]+|[^[\]]*:[^[\]]*:[^[\]]*)(?::(?<port>\d{1,5}))?$/;

/**
 * Reads `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address. Odd spellings of IPv4 (`127.1`) are
 * normalised as in URLs. Throws a `usage` error for anything else; there are no wildcards.
 */
export function parseHostPattern(text: string): HostPattern {
  const parts = PARTS.exec(text.trim())?.groups;
  const port = parts?.port === undefined ? undefined : Number(parts.port);
  const host = parts?.host;
  if (host === undefined || host.includes('*') || (port !== undefined && (port < 1 || port > 65535))) throw bad(text);
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = URL.parse(`http://${bracketed}/`);
  if (url === null || url.username !== '' || url.pathname !== '/' || url.search !== '') throw bad(text);
  return { host: normalHost(url.hostname), port };
}

/** A URL's `hostname` in the form that patterns and resolvers use: no brackets, no trailing dot. */
export function normalHost(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1).toLowerCase() : hostname.toLowerCase();
}

function bad(text: string): CurlewError {
  return new CurlewError(ErrorCode.usage, `"${text}" is not a host that can be allowed`, {
    remedy: 'Write HOST or HOST:PORT, for example localhost:8080 or [::1]:8080. Each host is named in full.',
  });
}
