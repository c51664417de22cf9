// The circuit breaker of one host over all workers that share its state, by the time they share. The decisions are those of
// breaker-state.ts. One worker probes, under a lease that it keeps; what it finds holds for all. A state that was lost is
// put back by whoever knows it.

import type { Instant } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Breaker, BreakerHost, BreakerTicket } from './breaker.ts';
import {
  type BreakerRecord,
  isProbing,
  isWorthKeeping,
  presentState,
  readRecord,
  type SeenBreaker,
  writeRecord,
} from './breaker-record.ts';
import {
  type BreakerSettings,
  type BreakerState,
  closedBreaker,
  type HostSign,
  onProbeAbandoned,
  onProbeDue,
  onProbeResult,
  onRestart,
  onResult,
  type ProbeResult,
} from './breaker-state.ts';
import type { Reading, SharedValue } from './shared-value.ts';
import { SingleFlight } from './single-flight.ts';

export interface SharedBreakerOptions extends BreakerHost {
  /** Where the state is kept. */
  readonly value: SharedValue;
  readonly settings: BreakerSettings;
  /** What is known of it where nothing is kept. */
  readonly state?: BreakerState | undefined;
  /** A name that no other worker has. */
  readonly worker: string;
  /** After how long the probe of a worker that has died is another's. Default 10,000 ms. */
  readonly probeLeaseMs?: number;
}

const PROBE_LEASE_MS = 10_000;
/** How often those who wait for another's probe look. */
const LOOK_MS = 250;

export class SharedBreaker implements Breaker {
  readonly #options: SharedBreakerOptions;
  readonly #value: SharedValue;
  readonly #leaseMs: number;
  readonly #recovery = new SingleFlight<void>();
  #seen: SeenBreaker;
  #state: BreakerState;
  #writings = 0;

  constructor(options: SharedBreakerOptions) {
    const { value, state = closedBreaker, probeLeaseMs = PROBE_LEASE_MS } = options;
    this.#options = options;
    this.#value = value;
    this.#leaseMs = probeLeaseMs;
    this.#seen = { state: onRestart(state, value.clock.now()), text: undefined, now: 0 };
    this.#state = this.#seen.state;
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
    const reading = await this.#value.readOnce();
    if (reading === undefined) return false;
    if (this.#isLost(reading)) await this.#value.soon((signal) => this.#look(signal));
    else this.#learn(reading);
    const { state } = this.#seen;
    return state.kind === 'closed' && state.generation === generation;
  }

  record({ generation }: BreakerTicket, sign: HostSign): void {
    if (sign === 'neutral') return;
    const { settings } = this.#options;
    void this.#value.soon((signal) =>
      this.#change((seen) => {
        const state = onResult(seen.state, { generation, sign }, seen.now, settings);
        return state === seen.state ? seen : { state };
      }, signal),
    );
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const { clock } = this.#value;
    let waitedFor: Instant | undefined;
    for (;;) {
      const seen = await this.#look(signal);
      const state = presentState(seen, this.#leaseMs);
      if (state.kind === 'closed') return;
      if (state.kind === 'half_open') {
        await clock.sleep(LOOK_MS, signal);
      } else if (state.probeAt > seen.now && state.probeAt !== waitedFor) {
        // Never longer than the delay, and due once waited for, should that clock have been set back.
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
      const state = presentState(last, this.#leaseMs);
      // It was abandoned since, or somebody was quicker.
      if (state.kind !== 'open' || Math.max(last.now, probeAt) < state.probeAt) return last;
      return { state: onProbeDue(state, Math.max(last.now, state.probeAt)), prober: this.#prober(last.now) };
    }, signal);
    // To write it may have taken longer than it lasts.
    return this.#isOurs(seen) && isProbing(seen, this.#leaseMs);
  }

  async #probeOnce(signal: AbortSignal): Promise<void> {
    const { settings } = this.#options;
    const ended = new AbortController();
    const kept = this.#value.soon((closing) => this.#keepProbing(AbortSignal.any([ended.signal, closing])));
    const end = async (next: (state: BreakerState, now: Instant) => BreakerState) => {
      ended.abort();
      await kept;
      await this.#value.soon((closing) =>
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
    const { clock } = this.#value;
    for (;;) {
      await clock.sleep(Math.round(this.#leaseMs / 3), ended);
      await this.#change((seen) => (this.#isOurs(seen) ? { ...seen, prober: this.#prober(seen.now) } : seen), ended);
    }
  }

  #prober(now: Instant) {
    return { worker: this.#options.worker, until: now + this.#leaseMs };
  }

  #isOurs({ state, prober }: BreakerRecord): boolean {
    return state.kind === 'half_open' && prober?.worker === this.#options.worker;
  }

  async #look(signal: AbortSignal): Promise<SeenBreaker> {
    const reading = await this.#value.read(signal);
    if (!this.#isLost(reading)) return this.#learn(reading);
    return this.#learn(await this.#value.replace(reading.text, this.#write(this.#seen), signal));
  }

  /** Decides on what is there, again if somebody else has written since. To give back what was seen is to leave it so. */
  async #change(decide: (seen: SeenBreaker) => BreakerRecord, signal: AbortSignal): Promise<SeenBreaker> {
    let seen = await this.#look(signal);
    for (;;) {
      const next = decide(seen);
      if (next === seen) return seen;
      const [last, text, from] = [seen.text, this.#write(next), seen.state];
      seen = this.#learn(await this.#value.replace(last, text, signal));
      if (seen.text === text) {
        this.#options.onDecided?.(from, seen.state);
        return seen;
      }
    }
  }

  /** Whether what is there is older than what was seen: it is gone, or was brought back from before. */
  #isLost({ text }: Reading): boolean {
    if (text === this.#seen.text || !isWorthKeeping(this.#seen)) return false;
    return text === undefined || readRecord(text).state.generation < this.#seen.state.generation;
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
    const offsetMs = this.#value.clock.now() - now;
    this.#state = state.kind === 'open' ? { ...state, probeAt: state.probeAt + offsetMs } : state;
    this.#options.onChange?.(this.#state);
    return this.#seen;
  }
}
