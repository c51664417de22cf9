// The circuit breaker of one host in one process. One probe serves all, and only while somebody waits. The decisions are
// in breaker-state.ts.

import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Breaker, BreakerHost, BreakerTicket } from './breaker.ts';
import {
  type BreakerSettings,
  type BreakerState,
  closedBreaker,
  defaultBreakerSettings,
  type HostSign,
  onProbeAbandoned,
  onProbeDue,
  onProbeResult,
  onRestart,
  onResult,
  type ProbeResult,
} from './breaker-state.ts';
import { SingleFlight } from './single-flight.ts';

export interface CircuitBreakerOptions extends BreakerHost {
  readonly clock: Clock;
  readonly settings?: BreakerSettings;
  /** State saved by an earlier process. */
  readonly state?: BreakerState;
}

export class CircuitBreaker implements Breaker {
  readonly #clock: Clock;
  readonly #probe: (signal: AbortSignal) => Promise<ProbeResult>;
  readonly #settings: BreakerSettings;
  readonly #onChange: (state: BreakerState) => void;
  readonly #onDecided: (from: BreakerState, to: BreakerState) => void;
  readonly #recovery = new SingleFlight<void>();
  #state: BreakerState;

  constructor(options: CircuitBreakerOptions) {
    this.#clock = options.clock;
    this.#probe = options.probe;
    this.#settings = options.settings ?? defaultBreakerSettings;
    this.#onChange = options.onChange ?? (() => {});
    this.#onDecided = options.onDecided ?? (() => {});
    this.#state = onRestart(options.state ?? closedBreaker, this.#clock.now());
  }

  get state(): BreakerState {
    return this.#state;
  }

  async waitUntilAllowed(signal: AbortSignal): Promise<BreakerTicket> {
    signal.throwIfAborted();
    while (this.#state.kind !== 'closed') {
      await this.#recovery.run('probe', signal, (shared) => this.#recover(shared));
    }
    return { generation: this.#state.generation };
  }

  isValid(ticket: BreakerTicket): boolean {
    // Opening begins a new generation, and tickets of it are given out only once closed again.
    return this.#state.generation === ticket.generation;
  }

  record(ticket: BreakerTicket, sign: HostSign): void {
    this.#become(onResult(this.#state, { generation: ticket.generation, sign }, this.#clock.now(), this.#settings));
  }

  // There is one recovery at a time. It begins while open, and each of its probes leaves the breaker open or closed.
  async #recover(signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'open') {
      const { probeAt, delayMs } = this.#state;
      // Never longer than the delay, and due once waited for, should the wall clock have been set back.
      const waitMs = Math.min(probeAt - this.#clock.now(), delayMs);
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
      this.#become(onProbeDue(this.#state, probeAt));
      await this.#probeOnce(signal);
    }
  }

  async #probeOnce(signal: AbortSignal): Promise<void> {
    try {
      const result = await this.#probe(signal);
      this.#become(onProbeResult(this.#state, result, this.#clock.now(), this.#settings));
    } catch (error) {
      const now = this.#clock.now();
      this.#become(
        signal.aborted
          ? onProbeAbandoned(this.#state, now)
          : onProbeResult(this.#state, { kind: 'no_answer', reason: messageOf(error) }, now, this.#settings),
      );
      throw error;
    }
  }

  #become(state: BreakerState): void {
    if (state === this.#state) return;
    const from = this.#state;
    this.#state = state;
    this.#onChange(state);
    this.#onDecided(from, state);
  }
}
