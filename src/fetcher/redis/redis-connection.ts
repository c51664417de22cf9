// The one door to Redis. A restart in the middle is not an error: an operation is tried again until Redis answers or patience
// ends. Its answer may have been lost, so only operations that may happen twice belong here; every move of the fetcher is one
// script that checks a token, and is safe. One Redis (with replicas if need be), not a cluster: a move spans several keys.

import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  createClient,
  DisconnectsClientError,
  ErrorReply,
  RESP_TYPES,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
} from '@redis/client';
import { redactSecrets } from '../../observe/redact.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../../platform/errors.ts';
import type { LuaScript } from './lua-script.ts';
import { refusalOf } from './redis-refusal.ts';

const RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;

/** Replies of a Redis that will soon be able to answer: it is starting, or handing over to another. */
const NOT_YET = /^(LOADING|MASTERDOWN|READONLY|TRYAGAIN|BUSY)\b/;

function makeClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    // A Redis that is frozen, or behind a dead network, is found out by its unanswered pings.
    pingInterval: 5_000,
    socket: {
      connectTimeout: 5_000,
      socketTimeout: 12_000,
      reconnectStrategy: (retries) => Math.min(RETRY_MS * 2 ** Math.min(retries, 10), LONGEST_RETRY_MS),
    },
  });
}

/** Commands by name; what they give as text is a string. */
export type RedisClient = ReturnType<typeof makeClient>;

function asBytes(client: RedisClient) {
  return client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
}

/** The same connection; what commands give is bytes. */
export type BinaryRedisClient = ReturnType<typeof asBytes>;

export interface RedisConnectionOptions {
  readonly clock: Clock;
  /** How long an operation may wait for a Redis that is away. Default 30 s. */
  readonly patienceMs?: number;
  /** Told of every loss of the connection and every failed attempt to get it back. */
  readonly onTrouble?: (error: Error) => void;
}

export class RedisConnection {
  readonly #client: RedisClient;
  readonly #binary: BinaryRedisClient;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #address: string;
  readonly #closing = new AbortController();
  #connections = 0;
  /** Why there is no connection. */
  #trouble: Error | undefined;

  private constructor(client: RedisClient, address: string, { clock, patienceMs = 30_000 }: RedisConnectionOptions) {
    this.#client = client;
    this.#binary = asBytes(client);
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#address = address;
    client.on('ready', () => this.#connections++);
    client.on('error', (error: Error) => {
      this.#trouble = error;
    });
  }

  /** Connects. Throws `service_unavailable` when Redis does not answer in time. */
  static async open(url: string, options: RedisConnectionOptions): Promise<RedisConnection> {
    const client = makeClient(url);
    const address = redactSecrets(url);
    client.on('error', (error: Error) => options.onTrouble?.(explained(address, error)));
    const connection = new RedisConnection(client, address, options);
    // It goes on trying by itself until it is closed; whether it got there is found out by asking.
    client.connect().catch(() => {});
    try {
      await connection.run((redis) => redis.ping());
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  /** Whether Redis can be asked at this moment. */
  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** How many connections were made so far. Between one and the next Redis may have been restarted. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Runs an operation, again if the connection breaks. Throws `service_unavailable` when patience ends, and what Redis says
   * when it refuses.
   */
  run<T>(operation: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#persist(() => operation(this.#client));
  }

  /** As `run`, for values that are bytes. */
  runBinary<T>(operation: (client: BinaryRedisClient) => Promise<T>): Promise<T> {
    return this.#persist(() => operation(this.#binary));
  }

  /** Runs a script as one step that nothing comes between. */
  script(
    script: LuaScript,
    keys: readonly string[],
    args: readonly (string | Uint8Array | number)[],
  ): Promise<unknown> {
    const bound = { keys: [...keys], arguments: args.map(asArgument) };
    return this.run(async (client) => {
      try {
        return await client.evalSha(script.sha, bound);
      } catch (error) {
        // A Redis that was restarted has forgotten its scripts.
        if (error instanceof ErrorReply && error.message.startsWith('NOSCRIPT')) {
          return client.eval(script.source, bound);
        }
        throw error;
      }
    });
  }

  /** Ends the connection; operations that wait for Redis fail. Twice is fine. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ClientClosedError());
    if (this.#client.isReady) await this.#client.close();
    else this.#client.destroy();
  }

  async #persist<T>(operation: () => Promise<T>): Promise<T> {
    const deadline = this.#clock.monotonic() + this.#patienceMs;
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        return await operation();
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        if (!isPassing(error)) throw explained(this.#address, error);
        if (this.#clock.monotonic() + waitMs > deadline) throw this.#unavailable(error);
        await this.#clock.sleep(waitMs, this.#closing.signal);
      }
    }
  }

  #unavailable(error: unknown): CurlewError {
    // That the client is offline says nothing; why it is does.
    const cause = error instanceof ClientOfflineError ? (this.#trouble ?? error) : error;
    const known = explained(this.#address, cause);
    if (known instanceof CurlewError) return known;
    return new CurlewError(
      ErrorCode.serviceUnavailable,
      `Redis at ${this.#address} does not answer: ${messageOf(cause)}`,
      { remedy: 'Start it, or name another one in PAGE_FETCHER_REDIS_URL.', cause },
    );
  }
}

/** What Redis refuses, with what to do about it; else the error as it is. */
function explained<T>(address: string, error: T): T | CurlewError {
  return (error instanceof ErrorReply ? refusalOf(address, error) : undefined) ?? error;
}

function asArgument(value: string | Uint8Array | number): string | Buffer {
  if (typeof value === 'number') return `${value}`;
  return typeof value === 'string' ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Whether the same operation may succeed a little later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ErrorReply) return NOT_YET.test(error.message);
  return (
    error instanceof SocketClosedUnexpectedlyError ||
    error instanceof ClientOfflineError ||
    error instanceof ClientClosedError ||
    error instanceof DisconnectsClientError ||
    error instanceof ConnectionTimeoutError ||
    error instanceof SocketTimeoutError ||
    systemCodeOf(error) !== undefined
  );
}
