// Pace, breaker and robots.txt of every host for one process, begun with what earlier ones left in the ledger.

import type { FetchMemory, Unsaved } from '../../fetch/fetch-memory.ts';
import type { Breaker, BreakerHost } from '../../fetch/politeness/breaker.ts';
import type { BreakerSettings } from '../../fetch/politeness/breaker-state.ts';
import { CircuitBreaker } from '../../fetch/politeness/circuit-breaker.ts';
import type { Limiter, RateSettings } from '../../fetch/politeness/limiter.ts';
import { TokenBucket } from '../../fetch/politeness/token-bucket.ts';
import type { RobotsRecord, RobotsStore } from '../../fetch/robots/robots-store.ts';
import type { SharedPoliteness } from '../../fetch/shared-politeness.ts';
import { readHostStates, readRobots, storeEntry } from '../../fetch/stored-memory.ts';
import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';

export interface EmbeddedPolitenessOptions {
  readonly clock: Clock;
  readonly random: Random;
}

export class EmbeddedPoliteness implements SharedPoliteness {
  readonly robots: RobotsStore;
  readonly #ledger: FetcherLedger;
  readonly #hosts: FetchMemory['hosts'];
  readonly #options: EmbeddedPolitenessOptions;

  constructor(ledger: FetcherLedger, options: EmbeddedPolitenessOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#hosts = readHostStates(ledger.hosts.states());
    this.robots = new LedgerRobots(ledger);
  }

  limiter(host: string, settings: RateSettings): Limiter {
    const bucket = new TokenBucket(this.#options.clock, this.#options.random, settings);
    const state = this.#hosts.get(host);
    if (state !== undefined) bucket.restore(state.rate, state.intervalMs);
    return bucket;
  }

  breaker(host: string, settings: BreakerSettings, parts: BreakerHost): Breaker {
    const state = this.#hosts.get(host)?.breaker;
    return new CircuitBreaker({
      ...parts,
      clock: this.#options.clock,
      settings,
      ...(state !== undefined && { state }),
    });
  }

  /** Saves the states of hosts, so that a restart neither bursts nor forgets an outage. */
  save({ hosts }: Pick<Unsaved, 'hosts'>): void {
    if (hosts.size === 0) return;
    const states = new Map([...hosts].map(([host, state]) => [host, storeEntry(state)]));
    const now = this.#options.clock.now();
    this.#ledger.transaction(() => this.#ledger.hosts.remember({ hosts: states, robots: new Map() }, now));
  }
}

class LedgerRobots implements RobotsStore {
  readonly #ledger: FetcherLedger;
  readonly #records: Map<string, RobotsRecord>;

  constructor(ledger: FetcherLedger) {
    this.#ledger = ledger;
    this.#records = new Map(readRobots(ledger.hosts.robots()));
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin);
  }

  async set(origin: string, record: RobotsRecord): Promise<void> {
    this.#records.set(origin, record);
    this.#ledger.transaction(() => this.#ledger.hosts.saveRobots(origin, storeEntry(record)));
  }

  alone<T>(_origin: string, _signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return work();
  }
}
