// The only door to the network: names become addresses and addresses become connections here, and nowhere else.
// Tests put their own Sockets in its place; a replay gets `closedSockets`, so that it cannot connect even by mistake (G5).

import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { CurlewError, ErrorCode } from './errors.ts';

/** One address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface Sockets {
  /** Every address of a host name, in the order of the system's resolver. Rejects when the name is unknown. */
  resolve(name: string): Promise<readonly ResolvedAddress[]>;
  /**
   * Begins a TCP connection to exactly these addresses, tried in turn (Happy Eyeballs); no name is looked up again.
   * The socket reports `connect` or `error`.
   */
  connect(addresses: readonly ResolvedAddress[], port: number): Socket;
}

/** The real network. */
export const systemSockets: Sockets = {
  async resolve(name) {
    const found = await lookup(name, { all: true, order: 'verbatim' });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  },
  connect(addresses, port) {
    const first = addresses[0];
    if (first === undefined) throw new CurlewError(ErrorCode.internal, `No address to connect to on port ${port}`);
    if (addresses.length === 1) return connect({ host: first.address, port, noDelay: true, keepAlive: true });
    return connect({
      // The name is never asked for: `lookup` answers with the addresses that were checked.
      host: 'pinned.invalid',
      port,
      noDelay: true,
      keepAlive: true,
      autoSelectFamily: true,
      lookup: (_name, _options, done) => done(null, [...addresses]),
    });
  },
};

/** A network that is switched off: whoever tries to use it gets an error. */
export const closedSockets: Sockets = {
  async resolve(name) {
    throw networkClosed(`look up ${name}`);
  },
  connect(addresses, port) {
    throw networkClosed(`connect to ${addresses.map(({ address }) => address).join(', ')} port ${port}`);
  },
};

function networkClosed(attempt: string): CurlewError {
  return new CurlewError(ErrorCode.networkClosed, `The network is closed, but something tried to ${attempt}`, {
    remedy: 'A replay reads only the archive. Run without replay to fetch again.',
  });
}
