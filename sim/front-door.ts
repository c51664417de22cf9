// One HTTP server on one loopback port, which it keeps over outages. While it is shut, connections are either reset
// as soon as they are accepted or refused by the system because nobody listens.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemCodeOf } from '../src/platform/errors.ts';
import type { DownFault } from './fault.ts';
import type { Door } from './fault-switches.ts';

const HOST = '127.0.0.1';
const REOPEN_TRIES = 100;
const REOPEN_PAUSE_MS = 50;
const CLOSE_GRACE_MS = 1_000;

type DoorState = 'open' | 'resetting' | 'refusing' | 'closed';

export class FrontDoor implements Door {
  readonly #server: Server;
  #port: number;
  #state: DoorState = 'closed';
  /** Connections taken, resets included. */
  connections = 0;
  /** Connections that were reset when they came, because the site was down. */
  connectionsReset = 0;

  /** `port` 0 lets the system choose one at the start. */
  constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
    server.on('connection', (socket: Socket) => {
      this.connections++;
      if (this.#state !== 'resetting') return;
      this.connectionsReset++;
      socket.resetAndDestroy();
    });
  }

  /** Without a slash at its end. Meaningful once `start` has resolved. */
  get url(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Listens for the first time. Throws what the system says when the port cannot be had. */
  async start(): Promise<void> {
    this.#state = 'open';
    await this.#listen();
  }

  async open(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'open';
    for (let tries = 1; this.#is('open') && !this.#server.listening; tries++) {
      try {
        await this.#listen();
      } catch (error) {
        // While the port was free, some client's outgoing connection may have borrowed it for a moment.
        if (systemCodeOf(error) !== 'EADDRINUSE' || tries === REOPEN_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, REOPEN_PAUSE_MS));
      }
    }
    // Shut or closed again while it was opening.
    if (this.#is('refusing') || this.#is('closed')) this.#server.close();
  }

  shut(how: DownFault['how']): void {
    if (this.#state === 'closed') return;
    this.#state = how === 'reset' ? 'resetting' : 'refusing';
    if (how === 'refuse') this.#server.close();
    this.#server.closeAllConnections();
  }

  /** No new connections; those with an answer under way get a second to finish it. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    const grace = setTimeout(() => this.#server.closeAllConnections(), CLOSE_GRACE_MS);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    clearTimeout(grace);
  }

  /** Asks anew after an await, where the compiler would remember the state from before. */
  #is(state: DoorState): boolean {
    return this.#state === state;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, HOST);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }
}
