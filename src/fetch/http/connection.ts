// One keep-alive connection: an undici client that also tells its exchanges what their socket knows and undici does not
// say: the address connected to, bytes behind the end of an answer, a reset, and more bytes than an answer can need.
// Whatever undici makes of a connection that ends: a request opens one at most.

import type { Socket } from 'node:net';
import { Client, type Dispatcher, errors } from 'undici';
import { ContinueDisguise } from './continue-disguise.ts';
import { HopError } from './failure-code.ts';
import { HopExchange } from './hop-exchange.ts';
import { SPARE_BYTES, SPARE_BYTES_PER_BODY_BYTE } from './hop-options.ts';

/** What undici calls bytes that no request asked for. */
const BAD_RESPONSE = 'bad response';

export interface ConnectionOptions {
  readonly maxHeaderBytes: number;
  readonly idleSocketMs: number;
  /** Whether the socket ends at the target itself, not at a proxy. */
  readonly direct: boolean;
  /** Opens the connection: at most once for each request. */
  dial(): Promise<Socket>;
}

export class Connection extends Client {
  readonly #direct: boolean;
  #socket: Socket | undefined;
  #remoteAddress: string | undefined;
  #bytesBehind = 0;
  readonly #mostBytesBesides: number;
  #bytesRead = 0;
  #answering: HopExchange | undefined;
  readonly #disguise = new ContinueDisguise();
  /** Whether a connection may be opened for the request that waits. */
  #mayDial = false;

  constructor(origin: URL, options: ConnectionOptions) {
    super(origin, {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: options.maxHeaderBytes,
      keepAliveTimeout: options.idleSocketMs,
      keepAliveMaxTimeout: options.idleSocketMs,
      connect: (_target, callback) => {
        this.#dial(options).then(
          (socket) => callback(null, this.#watch(socket)),
          (error: Error) => callback(error, null),
        );
      },
    });
    this.#direct = options.direct;
    this.#mostBytesBesides = options.maxHeaderBytes + SPARE_BYTES;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof HopExchange) handler.connection = this;
    // The pool gives a connection one request at a time.
    this.#mayDial = true;
    return super.dispatch(options, handler);
  }

  /** The address of the server; undefined through a proxy. */
  get remoteAddress(): string | undefined {
    return this.#remoteAddress;
  }

  /** A request goes onto the wire: what comes from now on is the answer to it. */
  expectAnswer(exchange: HopExchange): void {
    this.#bytesRead = 0;
    this.#answering = exchange;
    this.#disguise.begin();
  }

  /** An answer has just ended: what comes from now on is too much. */
  expectNothingMore(): void {
    this.#bytesBehind = 0;
    this.#bytesRead = 0;
    this.#answering = undefined;
  }

  /** Whether bytes came behind the answer that ended last. */
  get gotMore(): boolean {
    return this.#bytesBehind > 0 || this.#socket?.errored?.message === BAD_RESPONSE;
  }

  /** Whether the other side reset the connection. */
  get wasReset(): boolean {
    const error = this.#socket?.errored;
    return error !== null && error !== undefined && 'code' in error && error.code === 'ECONNRESET';
  }

  // A connection that ends before its request could be sent, undici makes anew, as often as that happens: a site that
  // speaks first behind a proxy would get thousands in a second. So the end of the first is the end of the request.
  async #dial({ dial }: ConnectionOptions): Promise<Socket> {
    if (this.#mayDial) {
      this.#mayDial = false;
      return dial();
    }
    if (this.#socket?.errored?.message === BAD_RESPONSE) {
      throw new HopError('protocol', 'the answer is not valid HTTP: it came before the request');
    }
    throw new HopError('reset_before_answer', 'the server closed the connection before it was asked');
  }

  #watch(socket: Socket): Socket {
    this.#socket = socket;
    this.#bytesRead = 0;
    // Asked for now: a closed socket does not tell.
    this.#remoteAddress = this.#direct ? socket.remoteAddress : undefined;
    this.#countReads(socket);
    this.#countReturns(socket);
    return socket;
  }

  // undici parses each chunk before it reads the next. So whenever it reads, its reports cover all that it has read, and
  // the difference is what its parser took in silence. The body itself is held to its limits by the exchange.
  #countReads(socket: Socket): void {
    const read: (size?: number) => Buffer | null = socket.read.bind(socket);
    socket.read = (size?: number) => {
      if (this.#bytesRead > this.#mostBytes()) {
        this.#giveUp(socket);
        return null;
      }
      const chunk = read(size);
      if (chunk === null) return null;
      this.#bytesRead += chunk.length;
      this.#disguise.pass(chunk);
      return chunk;
    };
  }

  // undici puts back what it has no use for yet, while a sink is busy. It does so too with what follows the last answer of
  // a closing connection, and forgets it there.
  #countReturns(socket: Socket): void {
    const unshift = socket.unshift.bind(socket);
    socket.unshift = (chunk: Buffer) => {
      this.#bytesBehind += chunk.length;
      this.#bytesRead -= chunk.length;
      unshift(chunk);
    };
  }

  #mostBytes(): number {
    const bodyBytes = this.#answering?.encodedBytes ?? 0;
    return this.#mostBytesBesides + (1 + SPARE_BYTES_PER_BODY_BYTE) * bodyBytes;
  }

  #giveUp(socket: Socket): void {
    this.#answering?.giveUpEndless();
    // When no request is under way, this error lets undici send those that wait over another connection.
    socket.destroy(new errors.SocketError(BAD_RESPONSE));
  }
}
