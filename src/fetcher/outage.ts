// A part that is away, as it is told of: once when it goes, now and then while it stays away, once when it is back.

import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, messageOf } from '../platform/errors.ts';

const REMIND_MS = 30_000;

export class Outage {
  readonly #name: string;
  readonly #log: Log;
  readonly #clock: Clock;
  #since: number | undefined;
  #saidAt = 0;

  /** `name` begins the names of events: `redis` gives `redis_away` and `redis_back`. */
  constructor(name: string, log: Log, clock: Clock) {
    this.#name = name;
    this.#log = log;
    this.#clock = clock;
  }

  get isAway(): boolean {
    return this.#since !== undefined;
  }

  away(error: unknown): void {
    const now = this.#clock.monotonic();
    if (this.#since !== undefined && now - this.#saidAt < REMIND_MS) return;
    this.#since ??= now;
    this.#saidAt = now;
    const remedy = error instanceof CurlewError ? error.remedy : undefined;
    const seconds = Math.round((now - this.#since) / 1_000);
    this.#log.event(`${this.#name}_away`, { reason: messageOf(error), remedy, seconds });
  }

  back(): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((this.#clock.monotonic() - this.#since) / 1_000);
    this.#since = undefined;
    this.#log.event(`${this.#name}_back`, { seconds });
  }
}
