// The state of one thing the fetcher depends on (Redis, Kafka): it works, or it does not and why. Told of once when it fails,
// when the reason changes and now and then while it lasts, and once when it works again. Failures that come and go are one.

import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, messageOf } from '../platform/errors.ts';

const REMIND_MS = 30_000;
/** Another reason is told of at most this often. */
const CHANGED_MS = 5_000;
/** It works again when nothing has failed for this long. */
const SETTLED_MS = 2_000;

interface Failure {
  readonly since: number;
  reason: string;
  lastAt: number;
  saidAt: number;
  /** When each reason was told of last. */
  readonly said: Map<string, number>;
}

export class Dependency {
  readonly #name: string;
  readonly #log: Log;
  readonly #clock: Clock;
  #failure: Failure | undefined;

  /** `name` begins the names of events: `redis` gives `redis_away` and `redis_back`. */
  constructor(name: string, log: Log, clock: Clock) {
    this.#name = name;
    this.#log = log;
    this.#clock = clock;
  }

  /** Why it cannot be worked with; undefined when it can. */
  get reason(): string | undefined {
    return this.#failure?.reason;
  }

  /** Something that needs it has failed for this reason. */
  failed(error: unknown): void {
    const now = this.#clock.monotonic();
    const reason = messageOf(error);
    this.#failure ??= { since: now, reason, lastAt: now, saidAt: Number.NEGATIVE_INFINITY, said: new Map() };
    const failure = this.#failure;
    failure.lastAt = now;
    failure.reason = reason;
    // Two reasons that take turns are not news each time.
    const saidAt = failure.said.get(reason) ?? Number.NEGATIVE_INFINITY;
    if (now - saidAt < REMIND_MS || now - failure.saidAt < CHANGED_MS) return;
    failure.saidAt = now;
    failure.said.set(reason, now);
    const remedy = error instanceof CurlewError ? error.remedy : undefined;
    this.#log.event(`${this.#name}_away`, { reason, remedy, seconds: secondsBetween(failure.since, now) });
  }

  /** It was tried with all that is needed of it, and works. */
  works(): void {
    const now = this.#clock.monotonic();
    if (this.#failure === undefined || now - this.#failure.lastAt < SETTLED_MS) return;
    const seconds = secondsBetween(this.#failure.since, now);
    this.#failure = undefined;
    this.#log.event(`${this.#name}_back`, { seconds });
  }
}

function secondsBetween(from: number, to: number): number {
  return Math.round((to - from) / 1_000);
}
