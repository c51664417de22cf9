// The circuit breaker's decisions, as pure functions over plain data. A request belongs to the generation it left in:
// opening begins a new one, so what comes back late neither closes the breaker nor opens it again.

import type { Instant } from '../../platform/clock.ts';

export interface BreakerSettings {
  /** Failures in a row that open it. Default 5. */
  readonly failureThreshold: number;
  /** From opening to the first probe. Default 30,000 ms. */
  readonly initialDelayMs: number;
  /** The longest time between two probes. Default 300,000 ms. */
  readonly maxDelayMs: number;
  /** What a failed probe does to the delay. Default 2. */
  readonly multiplier: number;
}

export const defaultBreakerSettings: BreakerSettings = {
  failureThreshold: 5,
  initialDelayMs: 30_000,
  maxDelayMs: 300_000,
  multiplier: 2,
};

/** Plain data, to be saved as it is. `failures` counts those in a row, probes included. */
export type BreakerState =
  | { readonly kind: 'closed'; readonly generation: number; readonly failures: number }
  | {
      readonly kind: 'open';
      readonly generation: number;
      readonly failures: number;
      readonly delayMs: number;
      /** When the next probe is due. */
      readonly probeAt: Instant;
    }
  | { readonly kind: 'half_open'; readonly generation: number; readonly failures: number; readonly delayMs: number };

export const closedBreaker: BreakerState = { kind: 'closed', generation: 0, failures: 0 };

/**
 * What a request says about its host: `up` when it answered below 500 or 501; `down` for a site-wide failure or another
 * 5xx; `neutral` when it says nothing (429, our own abort, a body that broke off).
 */
export type HostSign = 'up' | 'down' | 'neutral';

/** The sign that an answer with this status gives. */
export function signOfStatus(status: number): HostSign {
  if (status === 429) return 'neutral';
  return isUp(status) ? 'up' : 'down';
}

/** Whether a host that answers with this status works. RFC 9110 §15.6.2: 501 is about the method, not about the host. */
export function isUp(status: number): boolean {
  return status < 500 || status === 501;
}

/** What a probe found. */
export type ProbeResult =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'no_answer'; readonly reason: string };

export interface RequestResult {
  /** The state's generation when the request left. */
  readonly generation: number;
  readonly sign: HostSign;
}

/** After a request has ended. Only requests of the present generation count, and only while closed. */
export function onResult(
  state: BreakerState,
  { generation, sign }: RequestResult,
  now: Instant,
  settings: BreakerSettings = defaultBreakerSettings,
): BreakerState {
  if (state.kind !== 'closed' || generation !== state.generation || sign === 'neutral') return state;
  if (sign === 'up') return state.failures === 0 ? state : { ...state, failures: 0 };
  const failures = state.failures + 1;
  if (failures < settings.failureThreshold) return { ...state, failures };
  const delayMs = Math.min(settings.initialDelayMs, settings.maxDelayMs);
  return { kind: 'open', generation: generation + 1, failures, delayMs, probeAt: now + delayMs };
}

/** An open breaker whose time has come is half open until its probe ends; any other stays as it is. */
export function onProbeDue(state: BreakerState, now: Instant): BreakerState {
  if (state.kind !== 'open' || now < state.probeAt) return state;
  const { generation, failures, delayMs } = state;
  return { kind: 'half_open', generation, failures, delayMs };
}

/** After the probe: any answer below 500, and 501, closes; everything else opens again for longer. */
export function onProbeResult(
  state: BreakerState,
  result: ProbeResult,
  now: Instant,
  settings: BreakerSettings = defaultBreakerSettings,
): BreakerState {
  if (state.kind !== 'half_open') return state;
  const { generation, failures } = state;
  if (result.kind === 'answer' && isUp(result.status)) return { kind: 'closed', generation, failures: 0 };
  const delayMs = Math.min(state.delayMs * settings.multiplier, settings.maxDelayMs);
  return { kind: 'open', generation, failures: failures + 1, delayMs, probeAt: now + delayMs };
}

/** A probe that was cut off found nothing out: the next one is due at once, and the delay stays. */
export function onProbeAbandoned(state: BreakerState, now: Instant): BreakerState {
  if (state.kind !== 'half_open') return state;
  const { generation, failures, delayMs } = state;
  return { kind: 'open', generation, failures, delayMs, probeAt: now };
}

/** Saved state in a new process: a probe died with the old one; no wait is longer than its delay, whatever the clock did. */
export function onRestart(state: BreakerState, now: Instant): BreakerState {
  if (state.kind === 'open') return { ...state, probeAt: Math.min(state.probeAt, now + state.delayMs) };
  return onProbeAbandoned(state, now);
}
