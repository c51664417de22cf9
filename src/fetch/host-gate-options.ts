// What the gate of a host needs of the world, and the pace and breaker that it has where no other process shares them.

import type { Clock, Instant } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { ReachSettings } from './host-reach.ts';
import type { HostState } from './host-state.ts';
import type { HopRequest, HopResult } from './http/hop-result.ts';
import type { Breaker, BreakerHost } from './politeness/breaker.ts';
import type { BreakerSettings } from './politeness/breaker-state.ts';
import { CircuitBreaker } from './politeness/circuit-breaker.ts';
import type { Limiter, RateSettings } from './politeness/limiter.ts';
import { TokenBucket } from './politeness/token-bucket.ts';
import type { ProxyGates } from './proxy-gates.ts';
import type { RobotsDecision } from './robots/robots-policy.ts';
import type { SharedPoliteness } from './shared-politeness.ts';

export interface HostGateOptions {
  /** Requests per second to one host, or `off`. */
  readonly rate: number | 'off';
  readonly breaker: BreakerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  readonly proxies: ProxyGates;
  readonly reach: ReachSettings;
  /** Where the host's pace and breaker are kept for several processes. Default: in this one. */
  readonly shared?: SharedPoliteness | undefined;
  /** What robots.txt says about a URL of a host that is up since `upSince`. Undefined: it is not asked. */
  readonly robots: ((url: URL, signal: AbortSignal, upSince: Instant) => Promise<RobotsDecision>) | undefined;
  /** Puts one request on the wire. */
  readonly send: (request: HopRequest, signal: AbortSignal) => Promise<HopResult>;
  readonly report: (event: FetchEvent) => void;
}

export function ownLimiter(
  { clock, random }: HostGateOptions,
  rate: RateSettings,
  state: HostState | undefined,
): Limiter {
  const bucket = new TokenBucket(clock, random, rate);
  if (state !== undefined) bucket.restore(state.rate, state.intervalMs);
  return bucket;
}

export function ownBreaker(options: HostGateOptions, parts: BreakerHost, state: HostState | undefined): Breaker {
  const { clock, breaker: settings } = options;
  return new CircuitBreaker({ ...parts, clock, settings, ...(state !== undefined && { state: state.breaker }) });
}
