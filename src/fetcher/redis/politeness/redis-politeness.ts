// Pace, breaker and robots.txt of every host, shared by all workers of a fleet through one Redis and by its clock. Redis is
// waited for while it is away, and nothing goes without it.

import type { Breaker, BreakerHost } from '../../../fetch/politeness/breaker.ts';
import type { BreakerSettings } from '../../../fetch/politeness/breaker-state.ts';
import type { Limiter, RateSettings } from '../../../fetch/politeness/limiter.ts';
import { SharedBreaker } from '../../../fetch/politeness/shared-breaker.ts';
import type { RobotsStore } from '../../../fetch/robots/robots-store.ts';
import type { SharedPoliteness } from '../../../fetch/shared-politeness.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import { PatientRedis, type RedisStatus } from './patient-redis.ts';
import { RedisLimiter } from './redis-limiter.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisRobotsStore } from './redis-robots-store.ts';
import { breakerKey, RedisValue } from './redis-value.ts';

export interface RedisPolitenessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a robots.txt is kept (`robots_txt_cache_ttl_seconds`). Default 24 h. */
  readonly robotsMaxAgeMs?: number;
  /** After how long the turn of a worker that has died between asking and leaving is another's. Default 3,000 ms. */
  readonly turnLeaseMs?: number;
  /** After how long the probe, or the fetch of robots.txt, of a worker that has died is another's. Default 10,000 ms. */
  readonly workLeaseMs?: number;
  /** Told when Redis cannot be asked, so that requests wait, and when it can again. */
  readonly onStatus?: (status: RedisStatus) => void;
}

export class RedisPoliteness implements SharedPoliteness {
  readonly robots: RobotsStore;
  readonly #options: RedisPolitenessOptions;
  readonly #redis: PatientRedis;
  readonly #worker: string;

  /** The link stays its giver's: it is not closed here. */
  constructor(link: RedisLink, options: RedisPolitenessOptions) {
    const { clock, random, robotsMaxAgeMs: maxAgeMs, workLeaseMs: fetchLeaseMs } = options;
    this.#options = options;
    this.#redis = new PatientRedis(link, clock, options.onStatus ?? (() => {}));
    this.#worker = random.hex(8);
    this.robots = new RedisRobotsStore({
      redis: this.#redis,
      worker: this.#worker,
      ...(maxAgeMs !== undefined && { maxAgeMs }),
      ...(fetchLeaseMs !== undefined && { fetchLeaseMs }),
    });
  }

  limiter(host: string, settings: RateSettings): Limiter {
    const { random, turnLeaseMs } = this.#options;
    const parts = { redis: this.#redis, random, settings, worker: this.#worker };
    return new RedisLimiter(host, { ...parts, ...(turnLeaseMs !== undefined && { turnLeaseMs }) });
  }

  breaker(host: string, settings: BreakerSettings, parts: BreakerHost): Breaker {
    const { workLeaseMs: probeLeaseMs } = this.#options;
    const shared = { value: new RedisValue(this.#redis, breakerKey(host)), settings, worker: this.#worker };
    return new SharedBreaker({ ...parts, ...shared, ...(probeLeaseMs !== undefined && { probeLeaseMs }) });
  }

  /** Resolves when Redis has been told of everything that happened so far. */
  idle(): Promise<void> {
    return this.#redis.idle();
  }

  /** Tells Redis what is left to tell, within a second. Call it when no request is under way. Twice is fine. */
  close(): Promise<void> {
    return this.#redis.close();
  }
}
