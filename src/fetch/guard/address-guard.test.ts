import { describe, expect, it } from 'vitest';
import type { ResolvedAddress } from '../../platform/sockets.ts';
import { systemSockets } from '../../platform/sockets.ts';
import { AddressGuard } from './address-guard.ts';
import { parseHostPattern } from './host-pattern.ts';

function guard(addresses: readonly string[], ...allow: string[]): AddressGuard {
  const resolve = async () =>
    addresses.map((address): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new AddressGuard({ resolve }, allow.map(parseHostPattern));
}

describe('AddressGuard', () => {
  it('admits a public name with its addresses in order', async () => {
    expect(await guard(['2606:4700::1', '1.1.1.1']).admit('court.example', 443)).toEqual({
      kind: 'admitted',
      addresses: [
        { address: '2606:4700::1', family: 6 },
        { address: '1.1.1.1', family: 4 },
      ],
    });
  });

  it('leaves the private addresses of a mixed name out', async () => {
    expect(await guard(['10.0.0.1', '1.1.1.1', '::1']).admit('court.example', 443)).toEqual({
      kind: 'admitted',
      addresses: [{ address: '1.1.1.1', family: 4 }],
    });
  });

  it('refuses a name that has only private addresses, and says how to allow it', async () => {
    expect(await guard(['10.0.0.1']).admit('intra.example', 8080)).toEqual({
      kind: 'refused',
      host: 'intra.example',
      address: '10.0.0.1',
      reason:
        'refused to connect: intra.example leads to 10.0.0.1, which is not a public address (private); ' +
        'if this is intended, allow it with --allow-host intra.example:8080',
    });
  });

  it('admits what the user named, on the port he named', async () => {
    const allowing = guard(['10.0.0.1'], 'intra.example:8080');
    expect(await allowing.admit('INTRA.example.', 8080)).toMatchObject({ kind: 'admitted' });
    expect(await allowing.admit('intra.example', 8081)).toMatchObject({ kind: 'refused' });
  });

  it('takes a URL host with brackets', async () => {
    expect(await guard([]).admit('[::1]', 80)).toMatchObject({ kind: 'refused', address: '::1' });
    expect(await guard([], '[::1]').admit('[::1]', 80)).toMatchObject({ kind: 'admitted' });
  });

  it('judges only literals and local names through a proxy', () => {
    const judge = guard([], '10.0.0.1');
    expect(judge.refusesThroughProxy('court.example', 443)).toBeUndefined();
    expect(judge.refusesThroughProxy('93.184.215.14', 443)).toBeUndefined();
    expect(judge.refusesThroughProxy('10.0.0.1', 443)).toBeUndefined();
    expect(judge.refusesThroughProxy('10.0.0.2', 443)).toMatchObject({ kind: 'refused' });
    expect(judge.refusesThroughProxy('localhost', 443)).toMatchObject({ kind: 'refused' });
    expect(judge.refusesThroughProxy('printer.local', 443)).toMatchObject({ kind: 'refused' });
  });

  it.each(['vm', 'vm.', 'localhost.localdomain', '127.0.0.1..', '127.0.0.1...', 'a.localhost..', '.'])(
    'asks no proxy for %j',
    (host) => {
      expect(new AddressGuard(systemSockets).refusesThroughProxy(host, 80)).toMatchObject({ kind: 'refused' });
    },
  );
});
