// A value that all workers of a fleet change, in Redis and by its clock.

import type { Reading, SharedValue } from '../../../fetch/politeness/shared-value.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { PatientRedis } from './patient-redis.ts';
import { readValue, replaceValue } from './versioned-value.ts';

/** A value that nobody has changed for so long matters to nobody: a breaker is closed by then. */
const KEPT_MS = 24 * 3_600_000;

/** The key of a host's breaker. `host` is `host:port`. */
export function breakerKey(host: string): string {
  return `circuit_breaker:${host}`;
}

export class RedisValue implements SharedValue {
  readonly #redis: PatientRedis;
  readonly #key: string;

  constructor(redis: PatientRedis, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  get clock(): Clock {
    return this.#redis.clock;
  }

  read(signal: AbortSignal): Promise<Reading> {
    return this.#redis.ask((link) => readValue(link, this.#key), signal);
  }

  readOnce(): Promise<Reading | undefined> {
    return this.#redis.askOnce((link) => readValue(link, this.#key));
  }

  replace(last: string | undefined, next: string, signal: AbortSignal): Promise<Reading> {
    return this.#redis.ask((link) => replaceValue(link, this.#key, last, next, KEPT_MS), signal);
  }

  soon(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    return this.#redis.soon(work);
  }
}
