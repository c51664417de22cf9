// Politeness that several processes share: each of them asks here instead of keeping a host's pace, breaker and
// robots.txt for itself. What cannot be asked is waited for; nobody goes without.

import type { Breaker, BreakerHost } from './politeness/breaker.ts';
import type { BreakerSettings } from './politeness/breaker-state.ts';
import type { Limiter, RateSettings } from './politeness/limiter.ts';
import type { RobotsStore } from './robots/robots-store.ts';

export interface SharedPoliteness {
  /** The pace of a host (`host:port`). */
  limiter(host: string, settings: RateSettings): Limiter;
  breaker(host: string, settings: BreakerSettings, parts: BreakerHost): Breaker;
  readonly robots: RobotsStore;
}
