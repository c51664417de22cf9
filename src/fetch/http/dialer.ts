// Makes one connection: guard, TCP, the proxy's handshake, TLS, in this order and under one deadline.
// Every failure is a `HopError` named after the step it happened in; nothing is connected before the guard has agreed. That this
// machine has no file descriptor left is nobody's failure but ours: it is tried again, and then thrown as `out_of_sockets`.

import { isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../../platform/errors.ts';
import type { ResolvedAddress, Sockets } from '../../platform/sockets.ts';
import type { AddressGuard } from '../guard/address-guard.ts';
import { openConnectTunnel } from '../proxy/connect-tunnel.ts';
import { type ProxyServer, redactProxy } from '../proxy/proxy-server.ts';
import { openSocks5Tunnel } from '../proxy/socks5-tunnel.ts';
import { HopError, type HopFailureCode } from './failure-code.ts';

export interface DialTarget {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether TLS is spoken to the target. */
  readonly secure: boolean;
}

/** How a proxy is used: it opens a tunnel to the target, or is asked for pages of the target itself. */
export type ProxyManner = 'tunnel' | 'forward';

export interface DialerOptions {
  readonly sockets: Sockets;
  readonly guard: AddressGuard;
  /** How long a connection may take from the name to the last handshake. */
  readonly connectMs: number;
  /** Root certificates in PEM, trusted besides those of Node and the system. */
  readonly extraCa: readonly string[];
}

export class Dialer {
  readonly #options: DialerOptions;
  #trust: SecureContext | undefined;

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  /**
   * A connection to the target, ready for HTTP; with `forward`, which is for targets without TLS, one to the proxy for
   * requests to that target. Rejects with a `HopError`, or as it is with a `CurlewError`.
   */
  async dial(
    target: DialTarget,
    proxy: ProxyServer | undefined,
    closing: AbortSignal,
    manner: ProxyManner = 'tunnel',
  ): Promise<Socket> {
    const deadline = AbortSignal.any([closing, AbortSignal.timeout(this.#options.connectMs)]);
    for (;;) {
      try {
        return await this.#dialOnce(target, proxy, deadline, manner);
      } catch (error) {
        if (!(error instanceof OutOfSockets) || closing.aborted) throw error;
        // Connections that end meanwhile make room.
        await systemClock.sleep(LOOK_FOR_ROOM_MS, deadline).catch(() => {});
        if (deadline.aborted) throw error;
      }
    }
  }

  async #dialOnce(
    target: DialTarget,
    proxy: ProxyServer | undefined,
    deadline: AbortSignal,
    manner: ProxyManner,
  ): Promise<Socket> {
    const attempt = new Attempt(deadline);
    try {
      const socket = await (proxy === undefined
        ? this.#direct(target, attempt)
        : this.#through(proxy, target, attempt, manner));
      return target.secure ? await this.#secure(socket, target.host, attempt, 'tls') : socket;
    } catch (error) {
      attempt.drop();
      throw error;
    } finally {
      attempt.end();
    }
  }

  async #direct({ host, port }: DialTarget, attempt: Attempt): Promise<Socket> {
    const { guard, sockets } = this.#options;
    const admission = await attempt.step('dns', `looking up ${host}`, guard.admit(host, port));
    if (admission.kind === 'refused') throw new HopError('address_refused', admission.reason);
    return attempt.connected(sockets, admission.addresses, port, 'unreachable');
  }

  // The proxy's own address is the user's choice: it is resolved, not judged.
  async #through(
    proxy: ProxyServer,
    { host, port }: DialTarget,
    attempt: Attempt,
    manner: ProxyManner,
  ): Promise<Socket> {
    const { guard, sockets } = this.#options;
    const refused = guard.refusesThroughProxy(host, port);
    if (refused !== undefined) throw new HopError('address_refused', refused.reason);
    const shown = redactProxy(proxy);
    const addresses = await attempt.step('proxy_unreachable', `looking up ${shown}`, resolve(sockets, proxy.host));
    let socket = await attempt.connected(sockets, addresses, proxy.port, 'proxy_unreachable');
    if (proxy.scheme === 'https') socket = await this.#secure(socket, proxy.host, attempt, 'proxy_unreachable');
    if (manner === 'forward') return socket;
    const openTunnel = proxy.scheme === 'socks5' ? openSocks5Tunnel : openConnectTunnel;
    await attempt.step('proxy_unreachable', `waiting for ${shown}`, openTunnel(socket, proxy, host, port));
    return socket;
  }

  async #secure(socket: Socket, host: string, attempt: Attempt, code: HopFailureCode): Promise<Socket> {
    const secured = connectTls({
      socket,
      host,
      // RFC 6066 §3: the server name is never an IP address.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['http/1.1'],
      secureContext: (this.#trust ??= trustIn(this.#options.extraCa)),
    });
    attempt.hold(secured);
    await attempt.step(code, `TLS with ${host}`, happened(secured, 'secureConnect'));
    return secured;
  }
}

const LOOK_FOR_ROOM_MS = 200;

/** What the system says when it, or the process, has no room for another connection. */
const NO_ROOM: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

class OutOfSockets extends CurlewError {
  constructor(doing: string, cause: unknown) {
    super(ErrorCode.outOfSockets, `No connection can be opened here (${systemCodeOf(cause)}), ${doing}`, {
      remedy: 'Raise the limit of open files (ulimit -n) or lower --concurrency, then resume the run.',
      cause,
    });
  }
}

function hasNoRoom(error: unknown): boolean {
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.length > 0 && errors.every((one) => NO_ROOM.has(systemCodeOf(one) ?? ''));
}

// Loading the roots is slow, so there is one context for all connections, made when the first one needs it.
function trustIn(extraCa: readonly string[]): SecureContext {
  return createSecureContext(extraCa.length === 0 ? {} : { ca: [...getCACertificates('default'), ...extraCa] });
}

/** One try under one deadline: holds the sockets it opened, so that they go when it fails. */
class Attempt {
  readonly #deadline: AbortSignal;
  readonly #held: Socket[] = [];
  readonly #expired = Promise.withResolvers<never>();
  readonly #onAbort = () => this.#expired.reject(this.#deadline.reason);

  constructor(deadline: AbortSignal) {
    this.#deadline = deadline;
    this.#expired.promise.catch(() => {});
    if (deadline.aborted) this.#onAbort();
    else deadline.addEventListener('abort', this.#onAbort);
  }

  /** Waits for one step, at most until the deadline; what goes wrong in it gets this code. */
  async step<T>(code: HopFailureCode, doing: string, work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#expired.promise]);
    } catch (error) {
      if (error instanceof HopError || error instanceof CurlewError) throw error;
      if (hasNoRoom(error)) throw new OutOfSockets(doing, error);
      const timedOut = this.#deadline.aborted || systemCodeOf(error) === 'ETIMEDOUT';
      if (timedOut && !code.startsWith('proxy_')) throw new HopError('connect_timeout', `timed out ${doing}`, error);
      const refused = code === 'unreachable' && systemCodeOf(error) === 'ECONNREFUSED';
      throw new HopError(refused ? 'connect_refused' : code, `${doing} failed: ${detail(error, timedOut)}`, error);
    }
  }

  async connected(
    sockets: Sockets,
    addresses: readonly ResolvedAddress[],
    port: number,
    code: HopFailureCode,
  ): Promise<Socket> {
    const socket = sockets.connect(addresses, port);
    this.hold(socket);
    const shown = addresses.map(({ address }) => address).join(', ');
    await this.step(code, `connecting to ${shown} port ${port}`, happened(socket, 'connect'));
    return socket;
  }

  hold(socket: Socket): void {
    this.#held.push(socket);
    // An error after the step that waited for it is over must not bring the process down.
    socket.on('error', () => {});
  }

  drop(): void {
    for (const socket of this.#held) socket.destroy();
  }

  end(): void {
    this.#deadline.removeEventListener('abort', this.#onAbort);
  }
}

async function resolve(sockets: Sockets, host: string): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host);
  return family === 0 ? sockets.resolve(host) : [{ address: host, family: family === 6 ? 6 : 4 }];
}

function happened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the other side closed the connection')));
  });
}

function detail(error: unknown, timedOut: boolean): string {
  if (timedOut) return 'timed out';
  // Happy Eyeballs: one error for each address that was tried.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}
