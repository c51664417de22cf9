// Which servers files may come from: a list such as `*.box.com, *.boxcloud.com`. Whatever else an answer of the
// site names is none of its files, also when a redirect leads there. Pure.

interface FileHost {
  readonly protocol: 'https:' | 'http:';
  /** In lower case; of `*.box.com` it is `.box.com`. */
  readonly name: string;
  readonly anyBelow: boolean;
  /** As a URL has it: empty for the usual one of its protocol. Undefined: any. */
  readonly port: string | undefined;
}

/** `host`, `*.host`, with `http://` or `https://` before it, and `:port` or `:*` behind it. */
const ENTRY =
  /^(?:(?<scheme>https?):\/\/)?(?<below>\*\.)?(?<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}|\*))?\/?$/i;

/** The entries of the list that cannot be read, or undefined when all can be and there is one. */
export function findFileHostFault(list: string): string | undefined {
  const entries = split(list);
  if (entries.length === 0) return 'must name at least one host';
  const bad = entries.filter((entry) => parse(entry) === undefined);
  return bad.length === 0
    ? undefined
    : `must be a list of hosts such as *.box.com or http://127.0.0.1:8019, not ${bad.join(', ')}`;
}

/** Whether an address is on one of the hosts of the list. Only https, unless the entry says http. */
export function fileHostTest(list: string): (url: URL) => boolean {
  const hosts = split(list).flatMap((entry) => parse(entry) ?? []);
  return (url) => {
    // Nobody signs an address with a login in it: it is there to make a host look like another.
    if (url.username !== '' || url.password !== '') return false;
    return hosts.some((host) => fits(host, url));
  };
}

function fits({ protocol, name, anyBelow, port }: FileHost, url: URL): boolean {
  if (url.protocol !== protocol || (port !== undefined && url.port !== port)) return false;
  return anyBelow ? url.hostname.endsWith(name) && url.hostname.length > name.length : url.hostname === name;
}

function parse(entry: string): FileHost | undefined {
  const { scheme = 'https', below, host = '', port = '' } = ENTRY.exec(entry)?.groups ?? {};
  // The name as the URL standard writes it, so that it can be compared with that of a URL.
  const url = URL.parse(`${scheme.toLowerCase()}://${host}${/^\d+$/.test(port) ? `:${port}` : ''}/`);
  if (host === '' || url === null) return undefined;
  return {
    protocol: scheme.toLowerCase() === 'http' ? 'http:' : 'https:',
    name: below === undefined ? url.hostname : `.${url.hostname}`,
    anyBelow: below !== undefined,
    port: port === '*' ? undefined : url.port,
  };
}

function split(list: string): string[] {
  return list.split(/[\s,]+/).filter((entry) => entry !== '');
}
