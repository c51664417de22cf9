// Connections for the requests of one browser session, kept alive between them. Each is made by the project's dialer: its
// address is guarded, its certificate checked, and it goes through the session's proxy if there is one.

import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { normalHost } from '../guard/host-pattern.ts';
import type { Dialer } from '../http/dialer.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';

// Below the 5 s after which Apache closes an unused connection.
const IDLE_SOCKET_MS = 4_000;

export class GuardedAgent extends Agent {
  readonly #dialer: Dialer;
  readonly #proxy: ProxyServer | undefined;
  readonly #secure: boolean;
  readonly #closing = new AbortController();

  /** `secure`: whether its connections speak TLS. To `http.request` they look plain either way. */
  constructor(dialer: Dialer, proxy: ProxyServer | undefined, secure: boolean) {
    super({ keepAlive: true, timeout: IDLE_SOCKET_MS });
    this.#dialer = dialer;
    this.#proxy = proxy;
    this.#secure = secure;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    if (typeof host !== 'string' || typeof port !== 'number' || callback === undefined) {
      throw new CurlewError(ErrorCode.internal, 'A guarded connection needs a host, a port and a callback');
    }
    const target = { host: normalHost(host), port, secure: this.#secure };
    this.#dialer.dial(target, this.#proxy, this.#closing.signal).then(
      (socket) => callback(null, socket),
      // Node passes the error on to the request and ignores the stream.
      (error: Error) => callback(error, undefined as never),
    );
  }

  /** Closes every connection, those in use and those being made included. */
  override destroy(): void {
    this.#closing.abort(new Error('the browser session was closed'));
    super.destroy();
  }
}
