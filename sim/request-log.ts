// Every request that reached the site, in the order of arrival, with times. Entries are completed in place: status
// when the head of the answer is sent, `finishedAt` when the exchange is over, however it ended.

import type { IncomingHttpHeaders } from 'node:http';
import type { Instant } from '../src/platform/clock.ts';
import type { RequestFault } from './fault.ts';

export interface LogEntry {
  /** 1, 2, 3, … */
  readonly n: number;
  /** Wall-clock time of arrival. */
  readonly wallTime: Instant;
  /** Monotonic milliseconds, to measure gaps with. */
  readonly arrivedAt: number;
  /** Monotonic milliseconds; null while the exchange lasts. */
  readonly finishedAt: number | null;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The request's body as text, or null when it had none. */
  readonly body: string | null;
  /** The status that was sent, or null when no answer was. */
  readonly status: number | null;
  /** Requests in flight at arrival, this one included. */
  readonly inFlight: number;
  /** What it was about, if the site knows: a case's token. */
  readonly token: string | null;
  /** The fault that struck it; known once the request's body has been read. */
  readonly fault: RequestFault['kind'] | null;
}

export type OpenLogEntry = { -readonly [Key in keyof LogEntry]: LogEntry[Key] };

interface Waiter {
  readonly isWanted: (entry: LogEntry) => boolean;
  readonly resolve: (entry: LogEntry) => void;
}

export class RequestLog {
  readonly #entries: OpenLogEntry[] = [];
  #waiters: Waiter[] = [];

  /** All entries, oldest first. The array grows with the requests to come. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** The entries after the `n`-th. */
  since(n: number): readonly LogEntry[] {
    return this.#entries.slice(n);
  }

  /** The first request that fits, as soon as it arrives: at once if it has. Pending for ever if it never comes. */
  arrival(isWanted: (entry: LogEntry) => boolean): Promise<LogEntry> {
    const arrived = this.#entries.find(isWanted);
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#waiters.push({ isWanted, resolve }));
  }

  /** For the site: appends an entry that it will complete. */
  append(entry: Omit<OpenLogEntry, 'n'>): OpenLogEntry {
    const opened = { n: this.#entries.length + 1, ...entry };
    this.#entries.push(opened);
    this.#waiters = this.#waiters.filter(({ isWanted, resolve }) => {
      if (isWanted(opened)) resolve(opened);
      return !isWanted(opened);
    });
    return opened;
  }
}
