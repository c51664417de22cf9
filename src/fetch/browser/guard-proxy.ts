// The only way out for Chromium: a forward proxy on loopback that dials through the project's address guard. It ends TLS
// itself, so that it sees every request (frames, workers, redirects and WebSockets too) and asks before it leaves; the
// certificate of the site is checked by the dialer, as for plain HTTP. Without the random password nobody gets anywhere.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import type { Dialer } from '../http/dialer.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { breakOff, forwardRequest, forwardUpgrade, type Route } from './forward-request.ts';
import { GuardedAgent } from './guarded-agent.ts';
import { makeOwnCertificate } from './own-certificate.ts';
import type { PageTraffic } from './page-traffic.ts';

export interface GuardProxyOptions {
  readonly dialer: Dialer;
  readonly random: Random;
  /** The longest silence of a site. */
  readonly idleMs: number;
}

/** A connection of Chromium that was opened with CONNECT. */
interface Tunnel {
  readonly door: GuardDoor;
  /** `https://host:port` or `http://host:port`. */
  readonly origin: string;
}

const TLS_HANDSHAKE = 0x16;

export class GuardProxy {
  /** Base64 of the SHA-256 of the proxy's public key. */
  readonly keyHash: string;
  readonly #options: GuardProxyOptions;
  readonly #identity: SecureContext;
  readonly #server: Server;
  readonly #doors = new Map<string, GuardDoor>();
  readonly #tunnels = new WeakMap<Socket, Tunnel>();
  readonly #sockets = new Set<Socket>();

  private constructor(options: GuardProxyOptions) {
    this.#options = options;
    const { key, cert, keyHash } = makeOwnCertificate();
    this.keyHash = keyHash;
    this.#identity = createSecureContext({ key, cert });
    // Chromium closes its connections itself: a timer here could hit one that it is about to use.
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('request', (incoming, outgoing) => this.#onRequest(incoming, outgoing));
    this.#server.on('upgrade', (incoming, socket: Socket) => this.#onUpgrade(incoming, socket));
    this.#server.on('connect', (incoming, socket: Socket) => this.#onConnect(incoming, socket));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on a free port of loopback. Whoever starts it closes it. */
  static async start(options: GuardProxyOptions): Promise<GuardProxy> {
    const proxy = new GuardProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** `http://127.0.0.1:port`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A way in for one browser session, which leads out through `proxy` if there is one. */
  openDoor(proxy: ProxyServer | undefined): GuardDoor {
    const { dialer, random } = this.#options;
    const door = new GuardDoor(dialer, random, proxy, () => this.#doors.delete(door.credentials));
    this.#doors.set(door.credentials, door);
    return door;
  }

  /** Closes every connection. Calling it again is fine. */
  async close(): Promise<void> {
    for (const door of [...this.#doors.values()]) door.close();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const door = this.#doorFor(incoming);
    if (door === undefined) {
      outgoing.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="curlew"' }).end();
      return;
    }
    const asked = this.#asked(incoming, door);
    if (asked === undefined) breakOff(outgoing.socket, false);
    else void forwardRequest(incoming, outgoing, asked.url, asked.route);
  }

  #onUpgrade(incoming: IncomingMessage, socket: Socket): void {
    const door = this.#doorFor(incoming);
    const asked = door && this.#asked(incoming, door);
    if (asked === undefined) breakOff(socket, false);
    else void forwardUpgrade(incoming, socket, asked.url, asked.route);
  }

  // Nothing is connected yet: what comes through the tunnel is read as HTTP first.
  #onConnect(incoming: IncomingMessage, socket: Socket): void {
    const door = this.#doorFor(incoming);
    if (door === undefined) {
      socket.end('HTTP/1.1 407 Who asks\r\nProxy-Authenticate: Basic realm="curlew"\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Go on\r\n\r\n');
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      const secure = first[0] === TLS_HANDSHAKE;
      const inner = secure ? this.#endTls(socket) : socket;
      this.#tunnels.set(inner, { door, origin: `${secure ? 'https' : 'http'}://${incoming.url}` });
      this.#server.emit('connection', inner);
    });
  }

  #endTls(socket: Socket): TLSSocket {
    return new TLSSocket(socket, { isServer: true, secureContext: this.#identity, ALPNProtocols: ['http/1.1'] });
  }

  #doorFor({ socket, headers }: IncomingMessage): GuardDoor | undefined {
    return this.#tunnels.get(socket)?.door ?? this.#doors.get(headers['proxy-authorization'] ?? '');
  }

  /** Undefined when no page is being loaded behind this door, or for what nobody needs. */
  #asked(incoming: IncomingMessage, door: GuardDoor): { readonly url: URL; readonly route: Route } | undefined {
    const { traffic } = door;
    const origin = this.#tunnels.get(incoming.socket)?.origin ?? '';
    const url = URL.parse(origin + incoming.url);
    if (traffic === undefined || url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      return undefined;
    // The picture for a tab that nobody looks at is not worth a request.
    if (url.pathname === '/favicon.ico') return undefined;
    return { url, route: { traffic, agent: door.agentFor(url), direct: door.direct, idleMs: this.#options.idleMs } };
  }
}

/** The way of one browser session through the proxy. It is open while `traffic` is set. */
export class GuardDoor {
  readonly user: string;
  readonly password: string;
  /** The page load that requests belong to now. */
  traffic: PageTraffic | undefined;
  readonly direct: boolean;
  readonly #plain: GuardedAgent;
  readonly #secure: GuardedAgent;
  readonly #onClose: () => void;

  /** Made by `GuardProxy.openDoor`. */
  constructor(dialer: Dialer, random: Random, proxy: ProxyServer | undefined, onClose: () => void) {
    this.user = random.hex(8);
    this.password = random.hex(16);
    this.direct = proxy === undefined;
    this.#plain = new GuardedAgent(dialer, proxy, false);
    this.#secure = new GuardedAgent(dialer, proxy, true);
    this.#onClose = onClose;
  }

  /** The value of `Proxy-Authorization` that opens it. */
  get credentials(): string {
    return `Basic ${Buffer.from(`${this.user}:${this.password}`).toString('base64')}`;
  }

  agentFor(url: URL): GuardedAgent {
    switch (url.protocol) {
      case 'http:':
        return this.#plain;
      case 'https:':
        return this.#secure;
      default:
        throw new CurlewError(ErrorCode.internal, `No connection is made for ${url.protocol}`);
    }
  }

  close(): void {
    this.traffic?.end();
    this.traffic = undefined;
    this.#plain.destroy();
    this.#secure.destroy();
    this.#onClose();
  }
}
