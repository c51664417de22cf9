// One gate per host, shared by everything that goes there: breaker, robots, rate, in this order. A host's state can be
// saved and taken over by the next process, so that a restart neither bursts nor forgets an outage.

import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { Classified } from './classify.ts';
import type { FetchEvent } from './fetch-memory.ts';
import { type BreakerState, type HostSign, type ProbeResult, signOfStatus } from './politeness/breaker-state.ts';
import { type BreakerTicket, CircuitBreaker } from './politeness/circuit-breaker.ts';
import { defaultRateSettings, TokenBucket, type TokenBucketState } from './politeness/token-bucket.ts';
import type { RobotsDecision } from './robots/robots-policy.ts';

/** What outlives the process. Plain data. */
export interface HostState {
  readonly breaker: BreakerState;
  readonly rate: TokenBucketState;
}

export interface HostGatesOptions {
  /** Requests per second to one host, or `off`. */
  readonly rate: number | 'off';
  readonly clock: Clock;
  readonly random: Random;
  /** What robots.txt says about a URL. */
  readonly robots: (url: URL, signal: AbortSignal) => Promise<RobotsDecision>;
  /** One HEAD to the root of an origin. */
  readonly probe: (origin: string, signal: AbortSignal) => Promise<ProbeResult>;
  /** States saved by an earlier process, by host. */
  readonly states: ReadonlyMap<string, HostState>;
  readonly report: (event: FetchEvent) => void;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly ticket: BreakerTicket }
  /** robots.txt says no. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** robots.txt cannot be had, and without it the answer is not yet. */
  | { readonly kind: 'undecided'; readonly reason: string };

export class HostGates {
  readonly #options: HostGatesOptions;
  readonly #gates = new Map<string, HostGate>();
  readonly #changed = new Set<HostGate>();

  constructor(options: HostGatesOptions) {
    this.#options = options;
  }

  of({ host, origin }: URL): HostGate {
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const gate: HostGate = new HostGate(host, origin, this.#options, () => this.#changed.add(gate));
    this.#gates.set(host, gate);
    return gate;
  }

  /** The states that changed since the last call, by host. */
  takeChanged(): ReadonlyMap<string, HostState> {
    const states = new Map([...this.#changed].map((gate) => [gate.host, gate.state]));
    this.#changed.clear();
    return states;
  }
}

export class HostGate {
  readonly host: string;
  readonly #breaker: CircuitBreaker;
  readonly #bucket: TokenBucket;
  readonly #robots: HostGatesOptions['robots'];
  readonly #onChange: () => void;
  readonly #report: (event: FetchEvent) => void;
  #wasOpen = false;

  constructor(host: string, origin: string, options: HostGatesOptions, onChange: () => void) {
    const state = options.states.get(host);
    this.host = host;
    this.#robots = options.robots;
    this.#onChange = onChange;
    this.#report = options.report;
    this.#breaker = new CircuitBreaker({
      clock: options.clock,
      probe: (signal) => options.probe(origin, signal),
      onChange: (next) => this.#breakerChanged(next),
      ...(state !== undefined && { state: state.breaker }),
    });
    this.#bucket = new TokenBucket(options.clock, options.random, {
      ...defaultRateSettings,
      ratePerSecond: options.rate,
    });
    if (state !== undefined) this.#bucket.restore(state.rate);
  }

  get state(): HostState {
    return { breaker: this.#breaker.state, rate: this.#bucket.snapshot() };
  }

  /** Waits until a request to `url` may leave. Every admission must be followed by a `learn`. */
  async admit(url: URL, stop: AbortSignal): Promise<Admission> {
    for (;;) {
      const ticket = await this.#breaker.waitUntilAllowed(stop);
      const robots = await this.#robots(url, stop);
      if (robots.kind === 'disallowed') return { kind: 'refused', reason: `robots.txt: ${robots.rule}` };
      if (robots.kind === 'unreachable')
        return { kind: 'undecided', reason: `robots.txt is unreachable: ${robots.reason}` };
      this.#bucket.setCrawlDelay(robots.crawlDelayMs ?? 0);
      await this.#bucket.take(stop);
      this.#onChange();
      if (this.#breaker.isValid(ticket)) return { kind: 'admitted', ticket };
    }
  }

  /** Waits for the rate alone: for robots.txt, which asks nobody's permission. */
  async takeToken(stop: AbortSignal): Promise<void> {
    await this.#bucket.take(stop);
    this.#onChange();
  }

  /** What the answer to an admitted request says about the host. */
  learn(ticket: BreakerTicket, meaning: Classified): void {
    const hold =
      meaning.kind === 'rate_limited' ? meaning.until : meaning.kind === 'site_wide' ? meaning.retryAfter : undefined;
    if (hold !== undefined && 'reason' in meaning) {
      this.#bucket.holdUntil(hold);
      this.#report({ kind: 'retry_after', host: this.host, until: hold, reason: meaning.reason });
      this.#onChange();
    }
    this.#breaker.record(ticket, signOf(meaning));
  }

  #breakerChanged({ kind, failures }: BreakerState): void {
    this.#onChange();
    const isNews = kind === 'open' || (kind === 'closed' && this.#wasOpen);
    if (isNews) this.#report({ kind: 'breaker', host: this.host, state: kind, failures });
    if (kind !== 'half_open') this.#wasOpen = kind === 'open';
  }
}

function signOf(meaning: Classified): HostSign {
  switch (meaning.kind) {
    case 'ok':
    case 'unchanged':
      return 'up';
    case 'site_wide':
      return 'down';
    case 'url_specific':
      return meaning.status === undefined ? 'neutral' : signOfStatus(meaning.status);
    case 'rate_limited':
    case 'skipped':
      return 'neutral';
  }
}
