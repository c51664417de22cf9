// One keep-alive connection: an undici client that also tells its exchanges what their socket knows and undici does not
// say: the address connected to, bytes behind the end of an answer, and a reset.

import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { HopExchange } from './hop-exchange.ts';

export interface ConnectionOptions {
  readonly maxHeaderBytes: number;
  readonly idleSocketMs: number;
  /** Whether the socket ends at the target itself, not at a proxy. */
  readonly direct: boolean;
  /** Opens the connection, for every time that one is needed. */
  dial(): Promise<Socket>;
}

export class Connection extends Client {
  readonly #direct: boolean;
  #socket: Socket | undefined;
  #remoteAddress: string | undefined;
  #bytesBehind = 0;

  constructor(origin: URL, options: ConnectionOptions) {
    super(origin, {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: options.maxHeaderBytes,
      keepAliveTimeout: options.idleSocketMs,
      keepAliveMaxTimeout: options.idleSocketMs,
      connect: (_target, callback) => {
        options.dial().then(
          (socket) => callback(null, this.#watch(socket)),
          (error: Error) => callback(error, null),
        );
      },
    });
    this.#direct = options.direct;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof HopExchange) handler.connection = this;
    return super.dispatch(options, handler);
  }

  /** The address of the server; undefined through a proxy. */
  get remoteAddress(): string | undefined {
    return this.#remoteAddress;
  }

  /** An answer has just ended: what comes from now on is too much. */
  expectNothingMore(): void {
    this.#bytesBehind = 0;
  }

  /** Whether bytes came behind the answer that ended last. */
  get gotMore(): boolean {
    return this.#bytesBehind > 0 || this.#socket?.errored?.message === 'bad response';
  }

  /** Whether the other side reset the connection. */
  get wasReset(): boolean {
    const error = this.#socket?.errored;
    return error !== null && error !== undefined && 'code' in error && error.code === 'ECONNRESET';
  }

  // undici puts what follows the last answer of a closing connection back into the socket, and forgets it there.
  #watch(socket: Socket): Socket {
    this.#socket = socket;
    // Asked for now: a closed socket does not tell.
    this.#remoteAddress = this.#direct ? socket.remoteAddress : undefined;
    const unshift = socket.unshift.bind(socket);
    socket.unshift = (chunk: Buffer) => {
      this.#bytesBehind += chunk.length;
      unshift(chunk);
    };
    return socket;
  }
}
