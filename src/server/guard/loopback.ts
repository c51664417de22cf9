// Which names mean this machine.

/** An address or name to listen on that nobody else can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The name in a `Host` header, without its port; undefined when there is none that can be read. */
export function hostName(header: string | undefined): string | undefined {
  return header === undefined || header === '' ? undefined : URL.parse(`http://${header}`)?.hostname;
}
