// Which names mean this machine, and what a `Host` header names.

/** An address or name to listen on that nobody else can reach. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The name in a `Host` header, without its port; undefined when there is none that can be read. */
export function hostName(header: string | undefined): string | undefined {
  if (header === undefined || !/^[^\s@/?#\\]+$/.test(header)) return undefined;
  return URL.parse(`http://${header}`)?.hostname;
}

/** Whether the name of a `Host` header is the very address that the connection was made to. No web page can have that. */
export function isOwnAddress(name: string, localAddress: string | undefined): boolean {
  if (localAddress === undefined) return false;
  const [address = ''] = localAddress.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1);
  const written = address.includes(':') ? hostName(`[${address}]`) : address;
  return written !== undefined && written === name;
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
