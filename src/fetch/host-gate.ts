// The gate of one host: everything that goes there passes the breaker, robots and the rate, in this order; what goes
// through a proxy waits for that first. The gate learns from every answer before anyone else hears of it. Its state can be
// taken over by the next process, so that a restart neither bursts nor forgets an outage.

import type { Clock, Instant } from '../platform/clock.ts';
import { assertNever } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { type Classified, classify, contextAt } from './classify.ts';
import type { FetchEvent } from './fetch-memory.ts';
import { reachesSite, signOf } from './host-sign.ts';
import type { HostCounts, HostState } from './host-state.ts';
import type { HopRequest, HopResult } from './http/hop-result.ts';
import type { Breaker, BreakerHost, BreakerTicket } from './politeness/breaker.ts';
import type { BreakerSettings, BreakerState, ProbeResult } from './politeness/breaker-state.ts';
import { CircuitBreaker } from './politeness/circuit-breaker.ts';
import { defaultRateSettings, type Limiter, type RateSettings, type Turn } from './politeness/limiter.ts';
import { TokenBucket } from './politeness/token-bucket.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';
import type { Passage, ProxyGates } from './proxy-gates.ts';
import type { NotAsked } from './robots/load-robots.ts';
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
  /** Where the host's pace and breaker are kept for several processes. Default: in this one. */
  readonly shared?: SharedPoliteness | undefined;
  /** What robots.txt says about a URL of a host that is up since `upSince`. Undefined: it is not asked. */
  readonly robots: ((url: URL, signal: AbortSignal, upSince: Instant) => Promise<RobotsDecision>) | undefined;
  /** Puts one request on the wire. */
  readonly send: (request: HopRequest, signal: AbortSignal) => Promise<HopResult>;
  readonly report: (event: FetchEvent) => void;
}

/** The permission to send one request. `end` must follow. */
export interface Pass {
  /** The request is on the wire; the next one may follow in its time. */
  left(): void;
  /** What the answer means; undefined when the request was given up. Only the first call counts. */
  end(meaning: Classified | undefined): void;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly pass: Pass }
  /** robots.txt says no. */
  | { readonly kind: 'disallowed'; readonly reason: string }
  /** robots.txt cannot be had, and without it the answer is not yet. */
  | { readonly kind: 'undecided'; readonly reason: string }
  | NotAsked;

/** No robots.txt can ask for a longer gap: like Retry-After, it shall not be able to stop a run for good. */
const LONGEST_CRAWL_DELAY_MS = 3_600_000;

export class HostGate {
  readonly host: string;
  readonly #origin: string;
  readonly #options: HostGateOptions;
  readonly #breaker: Breaker;
  readonly #limiter: Limiter;
  readonly #onChange: () => void;
  readonly #counts: { -readonly [Name in keyof HostCounts]: HostCounts[Name] };
  /** By origin: http and https of a host have a robots.txt each, and share its pace. */
  readonly #crawlDelays = new Map<string, number>();
  #isOpen: boolean;
  #upSince: Instant;
  #signsOfLife = 0;

  /** `origin` is what probes go to; `onChange` is told that `state` has changed. Of a shared host, counts are restored only. */
  constructor(
    host: string,
    origin: string,
    options: HostGateOptions,
    state: HostState | undefined,
    onChange: () => void,
  ) {
    const { clock, shared } = options;
    this.host = host;
    this.#origin = origin;
    this.#options = options;
    this.#onChange = onChange;
    this.#counts = { requests: 0, allowed: 0, disallowed: 0, ...state?.counts };
    const rate = { ...defaultRateSettings, ratePerSecond: options.rate };
    const parts: BreakerHost = {
      probe: (signal) => this.#probe(signal),
      onChange: (next) => this.#breakerChanged(next),
    };
    this.#limiter = shared?.limiter(host, rate) ?? ownLimiter(options, rate, state);
    this.#breaker = shared?.breaker(host, options.breaker, parts) ?? ownBreaker(options, parts, state);
    this.#isOpen = this.#breaker.state.kind !== 'closed';
    this.#upSince = clock.now();
  }

  get state(): HostState {
    const { intervalMs } = this.#limiter;
    return { breaker: this.#breaker.state, rate: this.#limiter.snapshot(), intervalMs, counts: { ...this.#counts } };
  }

  /** How often the host has shown that it is up: by an answer below 500, or to a probe. */
  get signsOfLife(): number {
    return this.#signsOfLife;
  }

  /** Waits until a request to `url` may leave, which it must do at once. Rejects with the signal's reason on abort. */
  async admit(url: URL, proxy: ProxyServer | undefined, stop: AbortSignal): Promise<Admission> {
    const { proxies, robots } = this.#options;
    for (;;) {
      const passage = await proxies.enter(proxy, stop);
      const ticket = await this.#breaker.waitUntilAllowed(stop);
      const refusal = await this.#askRobots(url, ticket, stop);
      if (refusal !== undefined) return refusal;
      const turn = await this.#limiter.takeTurn(stop);
      const valid = this.#breaker.isValid(ticket);
      if ((valid === true || (await valid)) && proxies.isOpen(passage)) {
        if (robots !== undefined) this.#count('allowed');
        return { kind: 'admitted', pass: this.#pass(url, ticket, turn, passage) };
      }
      // It closed while we waited.
      turn.giveBack();
    }
  }

  /** Sends what needs no admission, robots.txt and probes: at the host's pace, and obeying what it answers. */
  async sendAside(purpose: 'robots' | 'probe', request: HopRequest, signal: AbortSignal): Promise<HopResult> {
    const { clock, send, report, proxies } = this.#options;
    const turn = await this.#limiter.takeTurn(signal);
    let at = clock.now();
    const onSent = () => {
      turn.leave();
      at = clock.now();
    };
    const passage = request.proxy === undefined ? proxies.sameWay() : proxies.through(request.proxy);
    try {
      const result = await send({ ...request, ...(passage && { proxy: passage.proxy }), onSent }, signal);
      if (result.kind === 'aborted') return result;
      proxies.learn(passage, this.#origin, result.kind === 'failure' ? result.code : undefined);
      if (result.kind === 'answer' || reachesSite(result.code)) {
        this.#count('requests');
        const came = result.kind === 'answer' ? String(result.status) : result.reason;
        report({ kind: `${purpose}_request`, host: this.host, url: request.url.href, at, result: came });
      }
      this.#obey(classify(result, contextAt(clock.now(), false)));
      return result;
    } finally {
      turn.leave();
    }
  }

  /** Undefined when robots.txt lets the request through. */
  async #askRobots(url: URL, ticket: BreakerTicket, stop: AbortSignal): Promise<Admission | undefined> {
    const decision = await this.#options.robots?.(url, stop, this.#upSince);
    switch (decision?.kind) {
      case undefined:
        return undefined;
      case 'allowed':
        this.#setCrawlDelay(url, decision.crawlDelayMs ?? 0);
        return undefined;
      case 'disallowed':
        this.#count('disallowed');
        return { kind: 'disallowed', reason: `robots.txt: ${decision.rule}` };
      case 'unreachable':
        // A host without its robots.txt counts as down, so that its requests wait and do not spin.
        this.#breaker.record(ticket, 'down');
        return { kind: 'undecided', reason: `robots.txt is unreachable: ${decision.reason}` };
      case 'not_asked':
        return decision;
      default:
        return assertNever(decision);
    }
  }

  #setCrawlDelay({ origin, pathname }: URL, crawlDelayMs: number): void {
    // robots.txt itself is always allowed, whatever else it says.
    if (pathname === '/robots.txt') return;
    this.#crawlDelays.set(origin, Math.min(crawlDelayMs, LONGEST_CRAWL_DELAY_MS));
    this.#limiter.setCrawlDelay(Math.max(...this.#crawlDelays.values()));
  }

  #pass({ origin }: URL, ticket: BreakerTicket, turn: Turn, passage: Passage | undefined): Pass {
    let ended = false;
    return {
      left: turn.leave,
      end: (meaning) => {
        turn.leave();
        if (ended) return;
        ended = true;
        const failure = meaning !== undefined && 'failure' in meaning ? meaning.failure : undefined;
        if (reachesSite(failure)) this.#count('requests');
        if (meaning === undefined) return;
        this.#options.proxies.learn(passage, origin, failure);
        this.#obey(meaning);
        const sign = signOf(meaning);
        if (sign === 'up') this.#signsOfLife++;
        this.#breaker.record(ticket, sign);
      },
    };
  }

  /** Retry-After holds the whole host. */
  #obey(meaning: Classified): void {
    if (meaning.kind !== 'rate_limited' && meaning.kind !== 'site_wide') return;
    const until = meaning.kind === 'rate_limited' ? meaning.until : meaning.retryAfter;
    if (until === undefined) return;
    this.#limiter.holdUntil(until);
    const at = this.#options.clock.now();
    this.#options.report({ kind: 'retry_after', host: this.host, at, until, reason: meaning.reason });
    this.#onChange();
  }

  async #probe(signal: AbortSignal): Promise<ProbeResult> {
    const headers = [['User-Agent', this.#options.userAgent]] as const;
    const result = await this.sendAside('probe', { url: new URL(this.#origin), method: 'HEAD', headers }, signal);
    switch (result.kind) {
      case 'answer':
        return { kind: 'answer', status: result.status };
      case 'failure':
        return { kind: 'no_answer', reason: result.reason };
      case 'aborted':
        throw signal.reason;
    }
  }

  #breakerChanged({ kind, failures }: BreakerState): void {
    this.#onChange();
    const isOpen = kind !== 'closed';
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    const at = this.#options.clock.now();
    if (!isOpen) {
      this.#upSince = at;
      this.#signsOfLife++;
    }
    this.#options.report({ kind: 'breaker', host: this.host, at, state: isOpen ? 'open' : 'closed', failures });
  }

  #count(name: keyof HostCounts): void {
    this.#counts[name]++;
    this.#onChange();
  }
}

function ownLimiter({ clock, random }: HostGateOptions, rate: RateSettings, state: HostState | undefined): Limiter {
  const bucket = new TokenBucket(clock, random, rate);
  if (state !== undefined) bucket.restore(state.rate);
  return bucket;
}

function ownBreaker(options: HostGateOptions, parts: BreakerHost, state: HostState | undefined): Breaker {
  const { clock, breaker: settings } = options;
  return new CircuitBreaker({ ...parts, clock, settings, ...(state !== undefined && { state: state.breaker }) });
}
