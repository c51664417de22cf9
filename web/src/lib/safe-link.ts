// Addresses come from the web. Only http and https become links: `javascript:` and its kin stay text.

export function safeLink(address: string): string | undefined {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined;
}

/** The same, for addresses of this server: a path and nothing else. */
export function ownPath(path: string): string | undefined {
  return /^\/(?![/\\])/.test(path) ? path : undefined;
}
