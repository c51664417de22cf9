// The gate of one host: everything that goes there passes the breaker, robots and the rate, in this order; what goes
// through a proxy waits for that first. The gate learns from every answer before anyone else hears of it. Its state can be
// taken over by the next process, so that a restart neither bursts nor forgets an outage.

import type { Clock, Instant } from '../platform/clock.ts';
import { assertNever } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { type AnswerHead, type Classified, classify, contextAt } from './classify.ts';
import { type FetchEvent, GIVEN_UP } from './fetch-memory.ts';
import { reachesSite, signOf } from './host-sign.ts';
import type { HostCounts, HostState } from './host-state.ts';
import type { HopFailure, HopRequest, HopResult } from './http/hop-result.ts';
import type { OutcomeWithoutPage } from './outcome.ts';
import type { Breaker, BreakerHost, BreakerTicket } from './politeness/breaker.ts';
import type { BreakerSettings, BreakerState, HostSign, ProbeResult } from './politeness/breaker-state.ts';
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

/** The permission to send one request. `end` or `giveBack` must follow. */
export interface Pass {
  /** The request goes onto the wire, and the next one may follow in its time. False: it may not leave any more. */
  left(): boolean;
  /** It did not leave. */
  giveBack(): void;
  /** The head of the answer is here, and its body may be long in coming: what it asks for holds from now on. */
  heard(head: AnswerHead): void;
  /**
   * What the answer means; undefined when the request was given up. `sentOn` is where it redirects to. Only the first call
   * counts.
   */
  end(meaning: Classified | undefined, sentOn?: URL): void;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly pass: Pass }
  /** robots.txt says no. */
  | { readonly kind: 'disallowed'; readonly reason: string }
  /** robots.txt cannot be had, and without it the answer is not yet. */
  | { readonly kind: 'undecided'; readonly reason: string }
  | NotAsked;

/** What is noted of a request once, however often it is heard. */
interface Noted {
  counted: boolean;
  obeyed: boolean;
}

const NOTHING: HostCounts = { requests: 0, allowed: 0, disallowed: 0 };

/** How soon a request comes again that was turned away, at the earliest. */
const LOOK_AGAIN_MS = 5_000;

/** No robots.txt can ask for a longer gap: like Retry-After, it shall not be able to stop a run for good. */
const LONGEST_CRAWL_DELAY_MS = 3_600_000;

export class HostGate {
  readonly host: string;
  readonly #options: HostGateOptions;
  readonly #breaker: Breaker;
  readonly #limiter: Limiter;
  readonly #onChange: () => void;
  readonly #counts: { -readonly [Name in keyof HostCounts]: HostCounts[Name] };
  /** By origin: http and https of a host have a robots.txt each, and share its pace. */
  readonly #crawlDelays = new Map<string, number>();
  /** Where the host failed last, or was first asked. */
  #probedOrigin: string;
  #isOpen: boolean;
  #upSince: Instant;
  #signsOfLife = 0;
  /** Those who wait for a host that is down. */
  #waiting = 0;

  /** `origin` is what probes go to until another fails; `onChange` is told that `state` has changed. */
  constructor(
    host: string,
    origin: string,
    options: HostGateOptions,
    state: HostState | undefined,
    onChange: () => void,
  ) {
    const { clock, shared } = options;
    this.host = host;
    this.#probedOrigin = state?.probedOrigin ?? origin;
    this.#options = options;
    this.#onChange = onChange;
    this.#counts = { ...NOTHING };
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
    const counts = { ...this.#counts };
    const probedOrigin = this.#probedOrigin;
    return { breaker: this.#breaker.state, rate: this.#limiter.snapshot(), intervalMs, counts, probedOrigin };
  }

  /** The state to save. What was counted is counted from anew. */
  takeState(): HostState {
    const { state } = this;
    Object.assign(this.#counts, NOTHING);
    return state;
  }

  /** How often the host has shown that it is up: by an answer below 500, or to a probe. */
  get signsOfLife(): number {
    return this.#signsOfLife;
  }

  /** Waits until a request to `url` may leave, which it must do at once. Rejects with the signal's reason on abort. */
  async admit(url: URL, proxy: ProxyServer | undefined, stop: AbortSignal): Promise<Admission> {
    for (;;) {
      const admission = await this.#tryAdmit(url, proxy, stop, 'wait');
      if (admission !== undefined) return admission;
    }
  }

  /** The same for what is not worth waiting for a host that is down: undefined then. */
  async admitUnlessDown(url: URL, proxy: ProxyServer | undefined, stop: AbortSignal): Promise<Admission | undefined> {
    while (this.#breaker.state.kind === 'closed') {
      const admission = await this.#tryAdmit(url, proxy, stop, 'return');
      if (admission !== undefined) return admission;
    }
    return undefined;
  }

  /** Undefined when the gate closed while we waited. */
  async #tryAdmit(
    url: URL,
    proxy: ProxyServer | undefined,
    stop: AbortSignal,
    whenDown: 'wait' | 'return',
  ): Promise<Admission | undefined> {
    const { proxies, robots } = this.#options;
    const passage = await proxies.enter(proxy, url.origin, stop);
    if (whenDown === 'return' && this.#breaker.state.kind !== 'closed') return undefined;
    const ticket = await this.#ticket(stop);
    const refusal = await this.#askRobots(url, ticket, stop);
    if (refusal !== undefined) return refusal;
    const turn = await this.#limiter.takeTurn(stop);
    const valid = this.#breaker.isValid(ticket);
    if ((valid === true || (await valid)) && proxies.isOpen(passage)) {
      if (robots !== undefined) this.#count('allowed');
      return { kind: 'admitted', pass: this.#pass(url, ticket, turn, passage) };
    }
    turn.giveBack();
    return undefined;
  }

  async #ticket(stop: AbortSignal): Promise<BreakerTicket> {
    this.#waiting++;
    try {
      return await this.#breaker.waitUntilAllowed(stop);
    } finally {
      this.#waiting--;
    }
  }

  /** Why nothing is sent to the host now but what waits for it; undefined when it is open to all. */
  whyClosed(): string | undefined {
    if (this.#limiter.snapshot().heldUntil > this.#options.clock.now()) return `${this.host} has asked for time`;
    return this.#breaker.state.kind === 'closed' ? undefined : `${this.host} is down`;
  }

  /**
   * What to say to a request that need not wait here, and when it is worth while to come again; undefined when it may as well
   * ask now. Of those for a host that is down one has to wait, or nobody would see it come back.
   */
  turnAway(): Extract<OutcomeWithoutPage, { kind: 'rate_limited' | 'site_wide' }> | undefined {
    const reason = this.whyClosed();
    if (reason === undefined) return undefined;
    const now = this.#options.clock.now();
    const { heldUntil } = this.#limiter.snapshot();
    if (heldUntil > now) return { kind: 'rate_limited', reason, until: heldUntil, notBefore: heldUntil };
    if (this.#waiting === 0) return undefined;
    const { state } = this.#breaker;
    const soon = now + LOOK_AGAIN_MS;
    return { kind: 'site_wide', reason, notBefore: state.kind === 'open' ? Math.max(state.probeAt, soon) : soon };
  }

  /** Sends what needs no admission, robots.txt and probes: at the host's pace, and obeying what it answers. */
  async sendAside(purpose: 'robots' | 'probe', request: HopRequest, signal: AbortSignal): Promise<HopResult> {
    const { clock, send, report, proxies } = this.#options;
    const turn = await this.#limiter.takeTurn(signal);
    const noted: Noted = { counted: false, obeyed: false };
    const { url } = request;
    let at = clock.now();
    let left = false;
    const onSent = () => {
      at = clock.now();
      left = this.#leave(turn, noted);
      return left;
    };
    const tell = (result: string) => report({ kind: `${purpose}_request`, host: this.host, url: url.href, at, result });
    const heed = (result: AnswerHead | HopFailure) =>
      this.#obey(classify(result, contextAt(clock.now(), false)), noted);
    const passage = request.proxy === undefined ? proxies.sameWay() : proxies.through(request.proxy);
    try {
      const result = await send({ ...request, ...(passage && { proxy: passage.proxy }), onSent, onHead: heed }, signal);
      if (result.kind === 'aborted') {
        if (!result.recalled) {
          if (left) tell(GIVEN_UP);
          return result;
        }
        turn.giveBack();
        return this.sendAside(purpose, request, signal);
      }
      proxies.learn(passage, url.origin, result.kind === 'failure' ? result.code : undefined);
      if (result.kind === 'answer' || reachesSite(result.code)) {
        this.#countRequest(noted);
        tell(result.kind === 'answer' ? String(result.status) : result.reason);
      }
      heed(result);
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
        this.#record(url, ticket, 'down');
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
    const delayMs = Math.min(crawlDelayMs, LONGEST_CRAWL_DELAY_MS);
    if (this.#crawlDelays.get(origin) === delayMs) return;
    this.#crawlDelays.set(origin, delayMs);
    this.#limiter.setCrawlDelay(Math.max(...this.#crawlDelays.values()));
    this.#onChange();
  }

  #pass(url: URL, ticket: BreakerTicket, turn: Turn, passage: Passage | undefined): Pass {
    const { clock, proxies, robots } = this.#options;
    const noted: Noted = { counted: false, obeyed: false };
    let ended = false;
    return {
      left: () => this.#leave(turn, noted),
      giveBack: () => {
        turn.giveBack();
        // It asks again before it leaves, and is counted then.
        if (!ended && robots !== undefined) this.#count('allowed', -1);
        ended = true;
      },
      heard: (head) => this.#obey(classify(head, contextAt(clock.now(), false)), noted),
      end: (meaning, sentOn) => {
        turn.leave();
        if (ended) return;
        ended = true;
        if (meaning === undefined) return;
        const failure = 'failure' in meaning ? meaning.failure : undefined;
        if (reachesSite(failure)) this.#countRequest(noted);
        proxies.learn(passage, url.origin, failure);
        this.#obey(meaning, noted);
        this.#record(url, ticket, sentOn === undefined ? signOf(meaning) : this.#signOfRedirect(url, sentOn));
      },
    };
  }

  /** http that sends everybody on to https of the same host is up, and says nothing about that. */
  #signOfRedirect(from: URL, to: URL): HostSign {
    return to.hostname === from.hostname && to.origin !== from.origin ? 'neutral' : 'up';
  }

  #record({ origin }: URL, ticket: BreakerTicket, sign: HostSign): void {
    if (sign === 'up') this.#signsOfLife++;
    if (sign === 'down') this.#probedOrigin = origin;
    this.#breaker.record(ticket, sign);
  }

  /** False when the host has asked for time since the turn was given, for a connection may be slow to open, or the turn is lost. */
  #leave(turn: Turn, noted: Noted): boolean {
    if (this.#limiter.snapshot().heldUntil > this.#options.clock.now() || !turn.leave()) return false;
    this.#countRequest(noted);
    return true;
  }

  #countRequest(noted: Noted): void {
    if (noted.counted) return;
    noted.counted = true;
    this.#count('requests');
  }

  /** Retry-After holds the whole host. */
  #obey(meaning: Classified, noted: Noted): void {
    if (noted.obeyed || (meaning.kind !== 'rate_limited' && meaning.kind !== 'site_wide')) return;
    const until = meaning.kind === 'rate_limited' ? meaning.until : meaning.retryAfter;
    if (until === undefined) return;
    noted.obeyed = true;
    this.#limiter.holdUntil(until);
    const at = this.#options.clock.now();
    this.#options.report({ kind: 'retry_after', host: this.host, at, until, reason: meaning.reason });
    this.#onChange();
  }

  async #probe(signal: AbortSignal): Promise<ProbeResult> {
    const headers = [['User-Agent', this.#options.userAgent]] as const;
    const result = await this.sendAside('probe', { url: new URL(this.#probedOrigin), method: 'HEAD', headers }, signal);
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

  #count(name: keyof HostCounts, change: 1 | -1 = 1): void {
    this.#counts[name] += change;
    this.#onChange();
  }
}

function ownLimiter({ clock, random }: HostGateOptions, rate: RateSettings, state: HostState | undefined): Limiter {
  const bucket = new TokenBucket(clock, random, rate);
  if (state !== undefined) bucket.restore(state.rate, state.intervalMs);
  return bucket;
}

function ownBreaker(options: HostGateOptions, parts: BreakerHost, state: HostState | undefined): Breaker {
  const { clock, breaker: settings } = options;
  return new CircuitBreaker({ ...parts, clock, settings, ...(state !== undefined && { state: state.breaker }) });
}
