import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './address-class.ts';

describe('classifyAddress', () => {
  it.each([
    ['93.184.215.14', 'public'],
    ['1.1.1.1', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['223.255.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['2a00:1450:4001::1', 'public'],
    ['64:ff9b::5db8:d70e', 'public'],
    ['::ffff:93.184.215.14', 'public'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['10.255.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['fd00:ec2::254', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['169.254.169.254', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['100.64.0.0', 'shared'],
    ['168.63.129.16', 'metadata'],
    ['168.63.129.17', 'public'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['192.0.2.1', 'documentation'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['198.19.255.255', 'benchmarking'],
    ['2002:7f00:1::', 'transition'],
    ['2001:0:1::', 'transition'],
    ['255.255.255.255', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
    ['100::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['not an address', 'reserved'],
    ['', 'reserved'],
  ])('calls %s %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  // The oracle is Node's own matcher of networks, with the table written down a second time.
  const notPublic = new BlockList();
  for (const cidr of [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
    '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  ].flatMap((line) => line.split(' '))) {
    const [network = '', prefix] = cidr.split('/');
    notPublic.addSubnet(network, Number(prefix), 'ipv4');
  }

  it('agrees with an oracle on every IPv4 address, alone and inside IPv6', () => {
    const edges = fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 223, 224, 240, 255);
    const octet = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0, 2, 16, 18, 31, 63, 64, 88, 99, 128, 254),
    );
    fc.assert(
      fc.property(fc.oneof(edges, octet), octet, octet, octet, (a, b, c, d) => {
        const address = [a, b, c, d].join('.');
        const isPublic = !notPublic.check(address, 'ipv4');
        expect(classifyAddress(address) === 'public').toBe(isPublic);
        expect(classifyAddress(`::ffff:${address}`) === 'public').toBe(isPublic);
        expect(classifyAddress(`64:ff9b::${address}`) === 'public').toBe(isPublic);
      }),
      { numRuns: 5000 },
    );
  });

  it('reads every spelling of an IPv6 address alike', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (!isIPv6(address)) return;
        // The URL parser writes the canonical form.
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        expect(classifyAddress(address)).toBe(classifyAddress(canonical));
      }),
      { numRuns: 2000 },
    );
  });
});
