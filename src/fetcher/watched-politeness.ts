// Politeness that tells what it sees: the state of every host's breaker, what was decided here, what probes found, and when a
// host may be asked next. It decides nothing itself.

import type { Breaker, BreakerHost } from '../fetch/politeness/breaker.ts';
import type { BreakerSettings, BreakerState, ProbeResult } from '../fetch/politeness/breaker-state.ts';
import type { Limiter, RateSettings } from '../fetch/politeness/limiter.ts';
import type { RobotsStore } from '../fetch/robots/robots-store.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import type { Instant } from '../platform/clock.ts';

export interface PolitenessWatcher {
  /** The breaker is now so, as far as this worker knows. */
  breakerChanged(host: string, state: BreakerState): void;
  /** This worker, and no other, changed the breaker. */
  breakerDecided(host: string, from: BreakerState, to: BreakerState): void;
  probed(host: string, result: ProbeResult): void;
}

/** The pace of a host. */
export interface HostPace {
  /** The smallest gap between two requests; 0 for none. */
  readonly intervalMs: number;
  /** When the next may leave, as far as this worker knows. */
  readonly freeAt: Instant;
}

export class WatchedPoliteness implements SharedPoliteness {
  readonly #inner: SharedPoliteness;
  readonly #watcher: PolitenessWatcher;
  readonly #limiters = new Map<string, Limiter>();

  constructor(inner: SharedPoliteness, watcher: PolitenessWatcher) {
    this.#inner = inner;
    this.#watcher = watcher;
  }

  get robots(): RobotsStore {
    return this.#inner.robots;
  }

  limiter(host: string, settings: RateSettings): Limiter {
    const limiter = this.#inner.limiter(host, settings);
    this.#limiters.set(host, limiter);
    return limiter;
  }

  breaker(host: string, settings: BreakerSettings, parts: BreakerHost): Breaker {
    const watcher = this.#watcher;
    return this.#inner.breaker(host, settings, {
      async probe(signal) {
        const result = await parts.probe(signal);
        watcher.probed(host, result);
        return result;
      },
      onChange(state) {
        parts.onChange?.(state);
        watcher.breakerChanged(host, state);
      },
      onDecided: (from, to) => watcher.breakerDecided(host, from, to),
    });
  }

  /** Undefined for a host that was never asked. */
  paceOf(host: string): HostPace | undefined {
    const limiter = this.#limiters.get(host);
    if (limiter === undefined) return undefined;
    const { paidAt, heldUntil } = limiter.snapshot();
    return { intervalMs: limiter.intervalMs, freeAt: Math.max(paidAt, heldUntil) };
  }
}
