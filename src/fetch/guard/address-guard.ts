// No connection leaves for an address that is not public, unless the user named its host (`--allow-host`).
// A name is resolved once; the caller connects to exactly the addresses returned here, so a second DNS answer cannot
// get in between (rebinding). A name with public and private addresses is reached on the public ones only.
// Through a proxy the name is the proxy's to resolve: only literal addresses and local names can be judged, and are.

import { isIP } from 'node:net';
import type { ResolvedAddress, Sockets } from '../../platform/sockets.ts';
import { type AddressClass, classifyAddress } from './address-class.ts';
import { type HostPattern, normalHost } from './host-pattern.ts';

export interface Refusal {
  readonly kind: 'refused';
  readonly host: string;
  /** The address that was refused, or the name when it is local by definition. */
  readonly address: string;
  /** What was refused, why, and how to allow it. */
  readonly reason: string;
}

export type Admission = { readonly kind: 'admitted'; readonly addresses: readonly ResolvedAddress[] } | Refusal;

// RFC 6761 §6.3, RFC 6762, RFC 8375, ICANN's reservation of `internal`, what many systems call themselves by, and any name of
// one label: names that never lead to a public site.
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;
const LOOPBACK_NAME = /(?:^|\.)localhost$/;

export class AddressGuard {
  readonly #sockets: Pick<Sockets, 'resolve'>;
  readonly #allow: readonly HostPattern[];

  constructor(sockets: Pick<Sockets, 'resolve'>, allow: readonly HostPattern[] = []) {
    this.#sockets = sockets;
    this.#allow = allow;
  }

  /**
   * Where a connection to `hostname` (as in a URL) and `port` may go. Connect to these addresses and no others.
   * Rejects with the resolver's error when the name cannot be resolved.
   */
  async admit(hostname: string, port: number): Promise<Admission> {
    const host = normalHost(hostname);
    const allowed = this.allows(host, port);
    if (isIP(host) !== 0) {
      const addresses = [{ address: host, family: isIP(host) === 6 ? 6 : 4 } as const];
      return allowed ? { kind: 'admitted', addresses } : only(addresses, host, port);
    }
    // Some resolvers do not know `localhost.` at all: the refusal must not depend on them.
    if (!allowed && LOOPBACK_NAME.test(host)) return refusal(host, port, host, 'loopback');
    const addresses = await this.#sockets.resolve(host);
    return allowed ? { kind: 'admitted', addresses } : only(addresses, host, port);
  }

  /** Why a proxy must not be asked for this target; undefined when it may. Nothing is resolved. */
  refusesThroughProxy(hostname: string, port: number): Refusal | undefined {
    if (this.allows(hostname, port)) return undefined;
    // What a proxy makes of several dots at the end is its own affair.
    const host = normalHost(hostname).replace(/\.+$/, '');
    if (isIP(host) === 0) return LOCAL_NAME.test(host) ? refusal(host, port, host, 'private') : undefined;
    const kind = classifyAddress(host);
    return kind === 'public' ? undefined : refusal(host, port, host, kind);
  }

  /** Whether the user named this host (and port) himself. */
  allows(hostname: string, port: number): boolean {
    const host = normalHost(hostname);
    return this.#allow.some((pattern) => pattern.host === host && (pattern.port ?? port) === port);
  }
}

function only(addresses: readonly ResolvedAddress[], host: string, port: number): Admission {
  const open = addresses.filter(({ address }) => classifyAddress(address) === 'public');
  if (open.length > 0) return { kind: 'admitted', addresses: open };
  const address = addresses[0]?.address ?? host;
  return refusal(host, port, address, classifyAddress(address));
}

function refusal(host: string, port: number, address: string, kind: AddressClass): Refusal {
  const shown = host.includes(':') ? `[${host}]` : host;
  const led = address === host ? '' : ` leads to ${address}, which`;
  return {
    kind: 'refused',
    host,
    address,
    reason:
      `refused to connect: ${shown}${led} is not a public address (${kind.replace('_', '-')}); ` +
      `if this is intended, allow it with --allow-host ${shown}:${port}`,
  };
}
