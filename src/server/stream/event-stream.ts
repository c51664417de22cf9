// One connection of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Who reads too slowly
// is cut off: it reconnects, and gets what it missed.

import type { FastifyReply } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { iso } from '../http/iso.ts';

const HEARTBEAT_MS = 15_000;
/** What may wait for a slow reader. */
const MOST_BUFFERED = 1 << 20;

export class EventStream {
  readonly #response: FastifyReply['raw'];
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #lastSent: number;

  constructor(response: FastifyReply['raw'], clock: Clock, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    this.#clock = clock;
    this.#lastSent = clock.monotonic();
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // A browser waits this long before it reconnects.
    response.write('retry: 2000\n\n');
    response.on('close', () => this.#ended.abort());
    response.on('error', () => this.#ended.abort());
    void this.#beat();
  }

  /** Aborts when the connection is gone. */
  get gone(): AbortSignal {
    return this.#ended.signal;
  }

  send(event: string, data: string, id?: number): void {
    if (this.#ended.signal.aborted) return;
    if (this.#response.writableLength > MOST_BUFFERED) {
      this.close();
      return;
    }
    this.#lastSent = this.#clock.monotonic();
    this.#response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  close(): void {
    this.#ended.abort();
    this.#response.destroy();
  }

  async #beat(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const leftMs = this.#lastSent + HEARTBEAT_MS - this.#clock.monotonic();
      if (leftMs <= 0) this.send('heartbeat', JSON.stringify({ now: iso(this.#clock.now()) }));
      await this.#clock.sleep(leftMs <= 0 ? HEARTBEAT_MS : leftMs, signal).catch(() => {});
    }
  }
}
