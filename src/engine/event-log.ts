// Writes what became true of a run to its log file, in order: it reads the outbox, so nothing is logged that did not
// happen, and after a crash nothing is logged that the ledger does not know.

import { once } from 'node:events';
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunId } from '../ledger/run.ts';
import { createLog, type Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { makeDirectory, PRIVATE_FILE } from '../platform/make-directory.ts';
import type { ProcessEvent } from './run-events.ts';

const PAGE = 500;

export class EventLog {
  readonly #ledger: Pick<Ledger, 'eventsAfter'>;
  readonly #run: RunId;
  readonly #file: WriteStream;
  readonly #log: Log;
  #after: number;
  #reading: Promise<void> = Promise.resolve();
  #more = false;

  private constructor(ledger: Ledger, run: RunId, file: WriteStream, after: number, clock: Clock) {
    this.#ledger = ledger;
    this.#run = run;
    this.#file = file;
    this.#after = after;
    this.#log = createLog({ write: (line) => void file.write(line) }, () => clock.now());
  }

  /** Goes on with `logs/run-<id>.log` of a data directory. */
  static async open(directory: string, ledger: Ledger, run: RunId, clock: Clock): Promise<EventLog> {
    const logs = join(directory, 'logs');
    makeDirectory(logs);
    const path = join(logs, `run-${run}.log`);
    // A site's run has events before anybody works on it: those of the walk that it was.
    const after = existsSync(path) ? await ledger.lastEvent(run) : 0;
    const file = createWriteStream(path, { flags: 'a', mode: PRIVATE_FILE });
    // A log that cannot be written must not end the run: the events are in the ledger.
    file.on('error', () => {});
    const log = new EventLog(ledger, run, file, after, clock);
    log.write('started', { pid: process.pid });
    return log;
  }

  /** Something about this process that the ledger need not know. */
  write(kind: ProcessEvent, fields: Readonly<Record<string, unknown>>): void {
    this.#log.event(kind, { run: this.#run, ...fields });
  }

  /** More may have been committed. */
  notify(): void {
    if (this.#more) return;
    this.#more = true;
    this.#reading = this.#reading.then(() => this.#copy());
  }

  async close(): Promise<void> {
    this.notify();
    await this.#reading;
    this.#file.end();
    if (!this.#file.closed) await Promise.race([once(this.#file, 'close'), once(this.#file, 'error')]);
  }

  async #copy(): Promise<void> {
    this.#more = false;
    for (;;) {
      const events = await this.#ledger.eventsAfter(this.#run, this.#after, PAGE);
      for (const { id, at, kind, url, data } of events) {
        this.#after = id;
        this.#log.event(kind, { run: this.#run, at, url, ...(typeof data === 'object' ? data : { data }) });
      }
      if (events.length < PAGE) return;
    }
  }
}
