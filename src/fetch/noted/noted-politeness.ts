// Pace, breaker and robots.txt of every host, shared by all processes that work on one data directory: begun with what earlier
// ones left in its ledger, and told to each other by notes there.

import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { FetchMemory } from '../fetch-memory.ts';
import type { Breaker, BreakerHost } from '../politeness/breaker.ts';
import type { BreakerSettings } from '../politeness/breaker-state.ts';
import type { Limiter, RateSettings } from '../politeness/limiter.ts';
import { SharedBreaker } from '../politeness/shared-breaker.ts';
import { TokenBucket } from '../politeness/token-bucket.ts';
import type { RobotsStore } from '../robots/robots-store.ts';
import type { SharedPoliteness } from '../shared-politeness.ts';
import { NotedLimiter } from './noted-limiter.ts';
import { NotedRobots } from './noted-robots.ts';
import { NotedValue } from './noted-value.ts';
import { LEASE_MS, type NotedWorld, type Notes } from './notes.ts';

export interface NotedPolitenessOptions {
  readonly notes: Notes;
  readonly clock: Clock;
  readonly random: Random;
  /** What earlier processes left. */
  readonly hosts: FetchMemory['hosts'];
}

export class NotedPoliteness implements SharedPoliteness {
  readonly robots: RobotsStore;
  readonly #world: NotedWorld;
  readonly #options: NotedPolitenessOptions;

  constructor(options: NotedPolitenessOptions) {
    const { notes, clock, random } = options;
    this.#options = options;
    this.#world = { notes, clock, worker: random.hex(8) };
    this.robots = new NotedRobots(this.#world);
  }

  limiter(host: string, settings: RateSettings): Limiter {
    const { clock, random, hosts } = this.#options;
    const bucket = new TokenBucket(clock, random, settings);
    const state = hosts.get(host);
    if (state !== undefined) bucket.restore(state.rate, state.intervalMs);
    return new NotedLimiter(host, bucket, this.#world);
  }

  breaker(host: string, settings: BreakerSettings, parts: BreakerHost): Breaker {
    const value = new NotedValue(this.#world, `breaker:${host}`);
    const state = this.#options.hosts.get(host)?.breaker;
    const { worker } = this.#world;
    return new SharedBreaker({ ...parts, value, settings, state, worker, probeLeaseMs: LEASE_MS });
  }
}
