// The circuit breaker of one host over all workers that share a Redis, by Redis' clock. The decisions are those of
// breaker-state.ts. One worker probes, under a lease that it keeps; what it finds holds for all. A Redis that has lost the
// state gets it back from whoever knows it.

import type { Breaker, BreakerHost, BreakerTicket } from '../../../fetch/politeness/breaker.ts';
import {
  type BreakerSettings,
  type BreakerState,
  closedBreaker,
  type HostSign,
  onProbeAbandoned,
  onProbeDue,
  onProbeResult,
  onResult,
  type ProbeResult,
} from '../../../fetch/politeness/breaker-state.ts';
import { SingleFlight } from '../../../fetch/politeness/single-flight.ts';
import type { Instant } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/errors.ts';
import {
  type BreakerRecord,
  isWorthKeeping,
  presentState,
  readRecord,
  type SeenBreaker,
  writeRecord,
} from './breaker-record.ts';
import type { PatientRedis } from './patient-redis.ts';
import type { RedisLink } from './redis-link.ts';
import { type Reading, readValue, replaceValue } from './versioned-value.ts';

export interface RedisBreakerOptions extends BreakerHost {
  readonly redis: PatientRedis;
  readonly settings: BreakerSettings;
  /** A name that no other worker has. */
  readonly worker: string;
  /** After how long the probe of a worker that has died is another's. Default 10,000 ms. */
  readonly probeLeaseMs?: number;
}

const PROBE_LEASE_MS = 10_000;
/** How often those who wait for another's probe look. */
const LOOK_MS = 250;
/** A state that nobody has changed for so long is closed, or nobody cares. */
const KEPT_MS = 24 * 3_600_000;

/** The host's breaker. `host` is `host:port`. */
export function breakerKey(host: string): string {
  return `circuit_breaker:${host}`;
}

export class RedisBreaker implements Breaker {
  readonly #options: RedisBreakerOptions;
  readonly #key: string;
  readonly #leaseMs: number;
  readonly #recovery = new SingleFlight<void>();
  #seen: SeenBreaker = { state: closedBreaker, text: undefined, now: 0 };
  #state: BreakerState = closedBreaker;
  #writings = 0;

  constructor(host: string, options: RedisBreakerOptions) {
    this.#options = options;
    this.#key = breakerKey(host);
    this.#leaseMs = options.probeLeaseMs ?? PROBE_LEASE_MS;
  }

  get state(): BreakerState {
    return this.#state;
  }

  async waitUntilAllowed(signal: AbortSignal): Promise<BreakerTicket> {
    for (;;) {
      const { state } = await this.#look(signal);
      if (state.kind === 'closed') return { generation: state.generation };
      await this.#recovery.run('probe', signal, (shared) => this.#recover(shared));
    }
  }

  /** An answer that does not come in time is a no. */
  async isValid({ generation }: BreakerTicket): Promise<boolean> {
    const seen = await this.#options.redis.askOnce((link) => this.#read(link));
    return seen !== undefined && seen.state.kind === 'closed' && seen.state.generation === generation;
  }

  record({ generation }: BreakerTicket, sign: HostSign): void {
    if (sign === 'neutral') return;
    const { redis, settings } = this.#options;
    void redis.soon((signal) =>
      this.#change((seen) => {
        const state = onResult(seen.state, { generation, sign }, seen.now, settings);
        return state === seen.state ? seen : { state };
      }, signal),
    );
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.redis;
    let waitedFor: Instant | undefined;
    for (;;) {
      const seen = await this.#look(signal);
      const state = presentState(seen);
      if (state.kind === 'closed') return;
      if (state.kind === 'half_open') {
        await clock.sleep(LOOK_MS, signal);
      } else if (state.probeAt > seen.now && state.probeAt !== waitedFor) {
        // Never longer than the delay, and due once waited for, should Redis' clock have been set back.
        await clock.sleep(Math.min(state.probeAt - seen.now, state.delayMs), signal);
        waitedFor = state.probeAt;
      } else if (await this.#claim(state.probeAt, signal)) {
        await this.#probeOnce(signal);
      }
    }
  }

  /** Whether the probe that was due at `probeAt` is ours. */
  async #claim(probeAt: Instant, signal: AbortSignal): Promise<boolean> {
    const seen = await this.#change((last) => {
      const state = presentState(last);
      // It was abandoned since, or somebody was quicker.
      if (state.kind !== 'open' || Math.max(last.now, probeAt) < state.probeAt) return last;
      return { state: onProbeDue(state, Math.max(last.now, state.probeAt)), prober: this.#prober(last.now) };
    }, signal);
    return this.#isOurs(seen);
  }

  async #probeOnce(signal: AbortSignal): Promise<void> {
    const { redis, settings } = this.#options;
    const ended = new AbortController();
    const kept = redis.soon((closing) => this.#keepProbing(AbortSignal.any([ended.signal, closing])));
    const end = async (next: (state: BreakerState, now: Instant) => BreakerState) => {
      ended.abort();
      await kept;
      await redis.soon((closing) =>
        this.#change((seen) => (this.#isOurs(seen) ? { state: next(seen.state, seen.now) } : seen), closing),
      );
    };
    const found = (result: ProbeResult) => end((state, now) => onProbeResult(state, result, now, settings));
    try {
      await found(await this.#options.probe(signal));
    } catch (error) {
      await (signal.aborted ? end(onProbeAbandoned) : found({ kind: 'no_answer', reason: messageOf(error) }));
      throw error;
    }
  }

  async #keepProbing(ended: AbortSignal): Promise<void> {
    const { clock } = this.#options.redis;
    for (;;) {
      await clock.sleep(this.#leaseMs / 3, ended);
      await this.#change((seen) => (this.#isOurs(seen) ? { ...seen, prober: this.#prober(seen.now) } : seen), ended);
    }
  }

  #prober(now: Instant) {
    return { worker: this.#options.worker, until: now + this.#leaseMs };
  }

  #isOurs({ state, prober }: BreakerRecord): boolean {
    return state.kind === 'half_open' && prober?.worker === this.#options.worker;
  }

  #look(signal: AbortSignal): Promise<SeenBreaker> {
    return this.#options.redis.ask((link) => this.#read(link), signal);
  }

  /** Decides on what is there, again if somebody else has written since. To give back what was seen is to leave it so. */
  async #change(decide: (seen: SeenBreaker) => BreakerRecord, signal: AbortSignal): Promise<SeenBreaker> {
    let seen = await this.#look(signal);
    for (;;) {
      const next = decide(seen);
      if (next === seen) return seen;
      const [last, text, from] = [seen.text, this.#write(next), seen.state];
      seen = await this.#options.redis.ask((link) => this.#replace(link, last, text), signal);
      if (seen.text === text) {
        this.#options.onDecided?.(from, seen.state);
        return seen;
      }
    }
  }

  async #read(link: RedisLink): Promise<SeenBreaker> {
    const reading = await readValue(link, this.#key);
    if (reading.text !== this.#seen.text && isWorthKeeping(this.#seen)) {
      const { state } = readRecord(reading.text);
      // It is gone, or Redis came back with an old one.
      const isLost = reading.text === undefined || state.generation < this.#seen.state.generation;
      if (isLost) return this.#replace(link, reading.text, this.#write(this.#seen));
    }
    return this.#learn(reading);
  }

  async #replace(link: RedisLink, last: string | undefined, next: string): Promise<SeenBreaker> {
    return this.#learn(await replaceValue(link, this.#key, last, next, KEPT_MS));
  }

  #write(record: BreakerRecord): string {
    return writeRecord(record, `${this.#options.worker}:${++this.#writings}`);
  }

  #learn({ text, now }: Reading): SeenBreaker {
    if (text === this.#seen.text) {
      this.#seen = { ...this.#seen, now };
      return this.#seen;
    }
    this.#seen = { ...readRecord(text), text, now };
    const { state } = this.#seen;
    const offsetMs = this.#options.redis.clock.now() - now;
    this.#state = state.kind === 'open' ? { ...state, probeAt: state.probeAt + offsetMs } : state;
    this.#options.onChange?.(this.#state);
    return this.#seen;
  }
}
