// `logs/latest.log`: the mirror's events as lines, each handed to the system before the next, so that a killed process has
// said all it did. The ledger has the events too: a log that cannot be written ends nothing.

import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../ledger/iso-time.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { Clock } from '../../platform/clock.ts';
import { makeDirectory, PRIVATE_FILE } from '../../platform/make-directory.ts';
import { formatEvent } from './format-event.ts';

/** A larger log is put aside, as `previous.log`, when the next one is opened. */
const LARGEST_LOG_BYTES = 32 * 2 ** 20;

export class ScraperLog {
  #file: number | undefined;
  readonly #clock: Clock;

  private constructor(file: number | undefined, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Goes on with `latest.log` in the directory. */
  static open(directory: string, clock: Clock): ScraperLog {
    try {
      makeDirectory(directory);
      const path = join(directory, 'latest.log');
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LARGEST_LOG_BYTES) renameSync(path, join(directory, 'previous.log'));
      return new ScraperLog(openSync(path, 'a', PRIVATE_FILE), clock);
    } catch {
      return new ScraperLog(undefined, clock);
    }
  }

  write(event: MirrorEvent, run?: number): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${formatEvent(event, isoTime(this.#clock.now()), run)}\n`);
    } catch {
      // A full disk: the run notices by itself.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
