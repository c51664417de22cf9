// The circuit breaker of one host. While it is open, callers wait and nobody is turned away: their requests are not
// wrong, the host is. One probe serves all, and only while somebody waits. The decisions are in breaker-state.ts.

import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
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

/** The permission to send one request; its result is reported under it. */
export interface BreakerTicket {
  readonly generation: number;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Asks whether the host is back: one HEAD to its root. Run by one caller at a time. */
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>;
  readonly settings?: BreakerSettings;
  /** State saved by an earlier process. */
  readonly state?: BreakerState;
  /** Called after every change, to save and to report. Must not throw. */
  readonly onChange?: (state: BreakerState) => void;
}

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #probe: (signal: AbortSignal) => Promise<ProbeResult>;
  readonly #settings: BreakerSettings;
  readonly #onChange: (state: BreakerState) => void;
  readonly #recovery = new SingleFlight<void>();
  #state: BreakerState;

  constructor(options: CircuitBreakerOptions) {
    this.#clock = options.clock;
    this.#probe = options.probe;
    this.#settings = options.settings ?? defaultBreakerSettings;
    this.#onChange = options.onChange ?? (() => {});
    this.#state = onRestart(options.state ?? closedBreaker, this.#clock.now());
  }

  /** The present state, plain data. */
  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Resolves when requests may go to the host: at once while closed, else when a probe has closed it. Rejects with the
   * signal's reason on abort, and with what the probe throws, if it does.
   */
  async waitUntilAllowed(signal: AbortSignal): Promise<BreakerTicket> {
    signal.throwIfAborted();
    while (this.#state.kind !== 'closed') {
      await this.#recovery.run('probe', signal, (shared) => this.#recover(shared));
    }
    return { generation: this.#state.generation };
  }

  /** May a request still leave under this ticket? False once the breaker has opened since: then ask for a new one. */
  isValid(ticket: BreakerTicket): boolean {
    return this.#state.kind === 'closed' && this.#state.generation === ticket.generation;
  }

  /** What the request that left under `ticket` says about the host. */
  record(ticket: BreakerTicket, sign: HostSign): void {
    this.#become(onResult(this.#state, { generation: ticket.generation, sign }, this.#clock.now(), this.#settings));
  }

  async #recover(signal: AbortSignal): Promise<void> {
    while (this.#state.kind !== 'closed') {
      if (this.#state.kind === 'open') {
        const { probeAt, delayMs } = this.#state;
        // Never longer than the delay, and due once waited for, should the wall clock have been set back.
        const waitMs = Math.min(probeAt - this.#clock.now(), delayMs);
        if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
        this.#become(onProbeDue(this.#state, probeAt));
      }
      if (this.#state.kind === 'half_open') await this.#probeOnce(signal);
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
    this.#state = state;
    this.#onChange(state);
  }
}
