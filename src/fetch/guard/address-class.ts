// What kind of address is this? Decided by a table of the IANA special-purpose registries (RFC 6890 and its updates),
// and safe by default: whatever is not known to be globally reachable unicast is not `public`.

import { isIPv4, isIPv6 } from 'node:net';

export type AddressClass =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link_local'
  | 'shared'
  | 'metadata'
  | 'multicast'
  | 'documentation'
  | 'benchmarking'
  | 'transition'
  | 'reserved';

interface Range {
  readonly bytes: readonly number[];
  readonly prefixBits: number;
  readonly kind: AddressClass;
}

// The first range that holds the address decides, so the narrow ones stand first.
const IPV4_RANGES: readonly Range[] = table([
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  // Azure's metadata and DNS service lives on this otherwise public address.
  ['168.63.129.16/32', 'metadata'],
  ['169.254.0.0/16', 'link_local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'transition'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['0.0.0.0/0', 'public'],
]);

const IPV6_RANGES: readonly Range[] = table([
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link_local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['2001:2::/48', 'benchmarking'],
  // Teredo and 6to4 carry an IPv4 address inside. No site lives there any more, so they are refused whole.
  ['2001::/32', 'transition'],
  ['2002::/16', 'transition'],
  ['2001::/23', 'reserved'],
  ['2000::/3', 'public'],
  ['::/0', 'reserved'],
]);

// Addresses that end in the IPv4 address which is really reached: IPv4-mapped, IPv4-compatible, NAT64 (RFC 6052).
const EMBEDDING_PREFIXES: readonly Range[] = table([
  ['::ffff:0:0/96', 'transition'],
  ['::/96', 'transition'],
  ['64:ff9b::/96', 'transition'],
]);

/**
 * The class of an IP address in text form, brackets and zone taken off. IPv6 addresses that embed an IPv4 address
 * (`::ffff:a.b.c.d`, `64:ff9b::/96`) have the class of that one. Anything that is not an address is `reserved`.
 */
export function classifyAddress(address: string): AddressClass {
  if (isIPv4(address)) return classOf(ipv4Bytes(address), IPV4_RANGES);
  if (!isIPv6(address)) return 'reserved';
  const bytes = ipv6Bytes(address.split('%', 1).join());
  const own = classOf(bytes, IPV6_RANGES);
  // `::` and `::1` lie inside the IPv4-compatible block but mean what they mean.
  if (own === 'unspecified' || own === 'loopback') return own;
  if (EMBEDDING_PREFIXES.some((range) => holds(range, bytes))) return classOf(bytes.slice(12), IPV4_RANGES);
  return own;
}

function classOf(bytes: readonly number[], ranges: readonly Range[]): AddressClass {
  return ranges.find((range) => holds(range, bytes))?.kind ?? 'reserved';
}

function holds(range: Range, bytes: readonly number[]): boolean {
  for (let bit = 0; bit < range.prefixBits; bit += 8) {
    const mask = range.prefixBits - bit >= 8 ? 0xff : (0xff << (8 - (range.prefixBits - bit))) & 0xff;
    if (((range.bytes[bit / 8] ?? 0) & mask) !== ((bytes[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}

function table(rows: readonly (readonly [cidr: string, kind: AddressClass])[]): readonly Range[] {
  return rows.map(([cidr, kind]) => {
    const [address = '', prefix = ''] = cidr.split('/');
    return { bytes: isIPv4(address) ? ipv4Bytes(address) : ipv6Bytes(address), prefixBits: Number(prefix), kind };
  });
}

function ipv4Bytes(address: string): number[] {
  return address.split('.').map(Number);
}

/** The sixteen bytes of a valid IPv6 address (RFC 4291 §2.2), with or without a dotted IPv4 tail. */
export function ipv6Bytes(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const front = groupBytes(head);
  if (tail === undefined) return front;
  const back = groupBytes(tail);
  return [...front, ...new Array<number>(16 - front.length - back.length).fill(0), ...back];
}

function groupBytes(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return ipv4Bytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
