// The only way out for Chromium: a forward proxy on loopback that dials through the project's address guard. It ends TLS
// itself, so that it sees every request (frames, workers, redirects and WebSockets too) and asks before it leaves; the
// certificate of the site is checked by the dialer, as for plain HTTP. Each browser session comes in under a host name
// that nobody can guess; whoever does not know one gets nowhere.

import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type Server,
  TLSSocket,
} from 'node:tls';
import type { Random } from '../../platform/random.ts';
import type { Dialer } from '../http/dialer.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { GuardDoor } from './guard-door.ts';
import { breakOff, breakOffAnswer, type Route } from './onward-request.ts';
import { makeOwnCertificate } from './own-certificate.ts';
import { isOfChromium } from './proxy-headers.ts';

/** Every name under it leads to the proxy, in Chromium only (RFC 6761 §6.4: nobody else can have it). */
export const GUARD_DOMAIN = 'curlew.invalid';

export interface GuardProxyOptions {
  readonly dialer: Dialer;
  readonly random: Random;
  /** The longest silence of a site. */
  readonly idleMs: number;
}

/** Where a connection of Chromium came in, and what it leads to if it is a tunnel (CONNECT). */
interface Entry {
  readonly door: GuardDoor;
  /** `https://host:port` or `http://host:port`; empty when each request names its target in full. */
  readonly origin: string;
}

const TLS_HANDSHAKE = 0x16;
const ONLY_HTTP_1 = ['http/1.1'];

export class GuardProxy {
  /** Base64 of the SHA-256 of the proxy's public key. */
  readonly keyHash: string;
  readonly #options: GuardProxyOptions;
  readonly #identity: SecureContext;
  readonly #listener: Server;
  /** Reads HTTP from the connections it is given. */
  readonly #http: HttpServer;
  readonly #doors = new Map<string, GuardDoor>();
  readonly #entries = new WeakMap<Socket, Entry>();
  readonly #sockets = new Set<Socket>();

  private constructor(options: GuardProxyOptions) {
    this.#options = options;
    const { key, cert, keyHash } = makeOwnCertificate();
    this.keyHash = keyHash;
    this.#identity = createSecureContext({ key, cert });
    // Chromium closes its connections itself: a timer here could hit one that it is about to use.
    this.#http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
    this.#http.on('request', (incoming, outgoing) => this.#onRequest(incoming, outgoing));
    this.#http.on('upgrade', (incoming, socket: Socket, rest) => this.#onUpgrade(incoming, withFirst(rest, socket)));
    this.#http.on('connect', (incoming, socket: Socket, rest) => this.#onConnect(incoming, withFirst(rest, socket)));
    this.#http.on('clientError', (_error, socket) => socket.destroy());
    this.#listener = createTlsServer({ key, cert, ALPNProtocols: ONLY_HTTP_1 }, (socket) => this.#onSocket(socket));
    this.#listener.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Listens on a free port of loopback. Whoever starts it closes it. */
  static async start(options: GuardProxyOptions): Promise<GuardProxy> {
    const proxy = new GuardProxy(options);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  /** A way in for one browser session, which leads out through `proxy` if there is one. Open until it is closed. */
  openDoor(proxy: ProxyServer | undefined): GuardDoor {
    const { dialer, random } = this.#options;
    const name = `${random.hex(16)}.${GUARD_DOMAIN}`;
    const door = new GuardDoor(this.#urlOf(name), dialer, proxy, () => this.#doors.delete(name));
    this.#doors.set(name, door);
    return door;
  }

  /** For those that have no door: nothing passes. */
  get closedDoorUrl(): string {
    return this.#urlOf(`closed.${GUARD_DOMAIN}`);
  }

  /** Closes every connection. Calling it again is fine. */
  async close(): Promise<void> {
    for (const door of [...this.#doors.values()]) door.close();
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #urlOf(name: string): string {
    return `https://${name}:${(this.#listener.address() as AddressInfo).port}`;
  }

  #onSocket(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    const door = typeof socket.servername === 'string' ? this.#doors.get(socket.servername) : undefined;
    if (door === undefined) socket.destroy();
    else this.#readHttp(socket, { door, origin: '' });
  }

  #readHttp(socket: Socket, entry: Entry): void {
    this.#entries.set(socket, entry);
    this.#http.emit('connection', socket);
  }

  #onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const route = this.#routeOf(incoming);
    if (route === undefined) breakOffAnswer(outgoing);
    else void forwardRequest(incoming, outgoing, route);
  }

  #onUpgrade(incoming: IncomingMessage, socket: Socket): void {
    const route = this.#routeOf(incoming);
    if (route === undefined) breakOff(socket);
    else void forwardUpgrade(incoming, socket, route);
  }

  // Nothing is connected yet: what comes through the tunnel is read as HTTP first.
  #onConnect(incoming: IncomingMessage, socket: Socket): void {
    const door = this.#entries.get(socket)?.door;
    if (door === undefined) {
      socket.destroy();
      return;
    }
    socket.write('HTTP/1.1 200 Go on\r\n\r\n');
    socket.once('data', (first: Buffer) => {
      withFirst(first, socket.pause());
      const secure = first[0] === TLS_HANDSHAKE;
      this.#readHttp(secure ? this.#endTls(socket) : socket, {
        door,
        origin: `${secure ? 'https' : 'http'}://${incoming.url}`,
      });
      if (!secure) socket.resume();
    });
  }

  #endTls(socket: Socket): TLSSocket {
    const options = { isServer: true, secureContext: this.#identity, ALPNProtocols: ONLY_HTTP_1 };
    return new TLSSocket(socket, options).on('error', () => socket.destroy());
  }

  /** Undefined when no page is being loaded behind this door, or for what nobody needs. */
  #routeOf(incoming: IncomingMessage): Route | undefined {
    const entry = this.#entries.get(incoming.socket);
    const traffic = entry?.door.traffic;
    const url = URL.parse(`${entry?.origin ?? ''}${incoming.url}`);
    if (entry === undefined || traffic === undefined || url === null) return undefined;
    // The picture for a tab that nobody looks at is not worth a request.
    if (url.pathname === '/favicon.ico') return undefined;
    // A service worker would answer later pages in place of the site. Chromium asks for its script under this field, which
    // comes with nothing else, whatever way a page took to have it registered.
    if (incoming.headers['service-worker'] !== undefined) return undefined;
    // Where a user of Curlew is, is nobody's business but the site's.
    if (isOfChromium(incoming.headers)) return undefined;
    const { door } = entry;
    const agent = door.agentFor(url);
    return agent && { url, traffic, agent, direct: door.direct, idleMs: this.#options.idleMs };
  }
}

/** Puts back what was read too far. */
function withFirst(bytes: Buffer, socket: Socket): Socket {
  if (bytes.length > 0) socket.unshift(bytes);
  return socket;
}
