// What a host is called, wherever something is known of it.

/** `host:port`. RFC 1034 §3.1: a dot at the end only says that the name is whole; it is the same host without it. */
export function gateName({ host }: URL): string {
  return host.replace(/\.(?=:\d+$|$)/, '');
}
