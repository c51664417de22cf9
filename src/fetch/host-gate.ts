// The gate of one host: everything that goes there passes the breaker, robots and the rate, in this order; what goes through a
// proxy waits for that first, and gets the one that it is assigned when it leaves. The gate learns from every answer first. The
// next process can take over its state, so that a restart neither bursts nor forgets an outage.

import type { Instant } from '../platform/clock.ts';
import { assertNever } from '../platform/errors.ts';
import { type Admission, LOST, type Pass, type TurnedAway } from './admission.ts';
import { type Classified, classify, contextAt } from './classify.ts';
import { type HostGateOptions, ownBreaker, ownLimiter } from './host-gate-options.ts';
import { HostReach, PATIENCE_SPENT } from './host-reach.ts';
import { isThere, reachesSite, signOf, signOfRedirect } from './host-sign.ts';
import type { HostCounts, HostState } from './host-state.ts';
import { type HostWait, slowAnswer, waitOf } from './host-wait.ts';
import type { HopRequest, HopResult } from './http/hop-result.ts';
import type { Breaker, BreakerHost, BreakerTicket } from './politeness/breaker.ts';
import { type BreakerState, type HostSign, isUp } from './politeness/breaker-state.ts';
import { defaultRateSettings, type Limiter, type Turn } from './politeness/limiter.ts';
import { probeHost } from './probe-host.ts';
import { isProxyFailure, type Passage, type WayOut } from './proxy-gates.ts';
import { type AsideNote, type AsidePurpose, sendAside } from './send-aside.ts';

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
  readonly #reach: HostReach;
  #isOpen: boolean;
  #upSince: Instant;
  /** Those who wait for a host that is down. */
  #waiting = 0;
  #heldFor: string | undefined;
  #restsUntil: Instant | undefined;

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
      probe: (signal) => probeHost(this.#probedOrigin, this.#probing, signal),
      onChange: (next) => this.#breakerChanged(next),
    };
    this.#limiter = shared?.limiter(host, rate) ?? ownLimiter(options, rate, state);
    this.#breaker = shared?.breaker(host, options.breaker, parts) ?? ownBreaker(options, parts, state);
    this.#isOpen = this.#breaker.state.kind !== 'closed';
    this.#upSince = clock.now();
    this.#heldFor = state?.heldFor;
    this.#reach = new HostReach(
      {
        ...options.reach,
        host,
        clock,
        heldFor: () => this.#heldFor,
        restsUntil: () => options.proxies.restUntil ?? this.#heldUntil,
        onSilent: (reason) =>
          options.report({ kind: 'waiting', host, at: clock.now(), reason: `no answer so far: ${reason}` }),
        onGivenUp: (reason) => options.report({ kind: 'given_up', host, at: clock.now(), reason }),
      },
      // What another process met last is worth telling only while the host is down for that.
      this.#isOpen || state === undefined ? state : { ...state, trouble: undefined },
    );
  }

  get state(): HostState {
    const { intervalMs } = this.#limiter;
    const counts = { ...this.#counts };
    const probedOrigin = this.#probedOrigin;
    const heldFor = this.#heldFor;
    const proxiesRestUntil = this.#options.proxies.restUntil;
    return {
      breaker: this.#breaker.state,
      rate: this.#limiter.snapshot(),
      intervalMs,
      counts,
      probedOrigin,
      ...this.#reach.state,
      ...(heldFor !== undefined && { heldFor }),
      ...(proxiesRestUntil !== undefined && { proxiesRestUntil }),
    };
  }

  /** What is waited for before anything more is asked here. */
  get wait(): HostWait | undefined {
    if (this.#reach.givenUp !== undefined) return undefined;
    const wait = waitOf(this.host, this.state, this.#options.clock.now());
    return wait ?? slowAnswer(this.host, this.#reach.silentMs);
  }

  /** The state to save. What was counted is counted from anew. */
  takeState(): HostState {
    const { state } = this;
    Object.assign(this.#counts, NOTHING);
    return state;
  }

  /** How often the host has shown that it is up: by an answer below 500, or to a probe. */
  get signsOfLife(): number {
    return this.#reach.signsOfLife;
  }

  /** Why nothing is asked of it any more in this run: it has not answered once. Undefined while it is. */
  get givenUp(): string | undefined {
    return this.#reach.givenUp;
  }

  /**
   * Waits until a request to `url` may leave, which it must do at once. Rejects with the signal's reason on abort. A host that
   * is never reached is waited for as long as the patience lasts.
   */
  async admit(url: URL, way: WayOut, stop: AbortSignal): Promise<Admission> {
    for (;;) {
      const admission = await this.#inPatience(() => this.#tryAdmit(url, way, stop, 'wait'));
      if (admission !== undefined) return admission;
    }
  }

  /** The same for what is not worth waiting for a host that is down: undefined then. */
  async admitUnlessDown(url: URL, way: WayOut, stop: AbortSignal): Promise<Admission | undefined> {
    while (this.#breaker.state.kind === 'closed') {
      const admission = await this.#inPatience(() => this.#tryAdmit(url, way, stop, 'return'));
      if (admission !== undefined) return admission;
    }
    return undefined;
  }

  async #inPatience(work: () => Promise<Admission | undefined>): Promise<Admission | undefined> {
    const { givenUp } = this.#reach;
    if (givenUp !== undefined) return { kind: 'unreached', reason: givenUp };
    try {
      return await work();
    } catch (error) {
      if (error === PATIENCE_SPENT) return undefined;
      throw error;
    }
  }

  /** Undefined when the gate closed while we waited. */
  async #tryAdmit(
    url: URL,
    way: WayOut,
    stop: AbortSignal,
    whenDown: 'wait' | 'return',
  ): Promise<Admission | undefined> {
    const { proxies, robots } = this.#options;
    const enter = (signal: AbortSignal) => proxies.enter(way, url.origin, signal, this.#onRest);
    const entered = await (proxies.isResting(way) ? this.#reach.inPatience(stop, enter) : enter(stop));
    if (whenDown === 'return' && this.#breaker.state.kind !== 'closed') return undefined;
    const ticket = await this.#ticket(stop);
    const refusal = await this.#askRobots(url, ticket, stop);
    if (refusal !== undefined) return refusal;
    const take = (signal: AbortSignal) => this.#limiter.takeTurn(signal);
    const turn = await (this.#heldUntil === undefined ? take(stop) : this.#reach.inPatience(stop, take));
    const valid = this.#breaker.isValid(ticket);
    const passage = valid === true || (await valid) ? await proxies.leave(way, entered) : 'rests';
    if (passage === 'rests' || passage === 'lost') {
      turn.giveBack();
      return passage === 'rests' ? undefined : LOST;
    }
    if (robots !== undefined) this.#count('allowed');
    return { kind: 'admitted', pass: this.#pass(url, ticket, turn, passage), proxy: passage?.proxy };
  }

  async #ticket(stop: AbortSignal): Promise<BreakerTicket> {
    this.#waiting++;
    try {
      const wait = (signal: AbortSignal) => this.#breaker.waitUntilAllowed(signal);
      return await (this.#breaker.state.kind === 'closed' ? wait(stop) : this.#reach.inPatience(stop, wait));
    } finally {
      this.#waiting--;
    }
  }

  /** Until when the host has asked for time; undefined when it has not. */
  get #heldUntil(): Instant | undefined {
    const { heldUntil } = this.#limiter.snapshot();
    return heldUntil > this.#options.clock.now() ? heldUntil : undefined;
  }

  /** Why nothing is sent to the host now but what waits for it; undefined when it is open to all. */
  whyClosed(): string | undefined {
    if (this.#heldUntil !== undefined) return `${this.host} has asked for time`;
    return this.#breaker.state.kind === 'closed' ? undefined : `${this.host} is down`;
  }

  /**
   * What to say to a request that need not wait here, and when it is worth while to come again; undefined when it may as well
   * ask now. Of those for a host that is down one has to wait, or nobody would see it come back.
   */
  turnAway(): TurnedAway | undefined {
    const { givenUp } = this;
    if (givenUp !== undefined) return { kind: 'unreached', reason: givenUp };
    const reason = this.whyClosed();
    if (reason === undefined) return undefined;
    const heldUntil = this.#heldUntil;
    const now = this.#options.clock.now();
    if (heldUntil !== undefined) return { kind: 'rate_limited', reason, until: heldUntil, notBefore: heldUntil };
    if (this.#waiting === 0) return undefined;
    const { state } = this.#breaker;
    const soon = now + LOOK_AGAIN_MS;
    return { kind: 'site_wide', reason, notBefore: state.kind === 'open' ? Math.max(state.probeAt, soon) : soon };
  }

  /** Sends what needs no admission. */
  sendAside(purpose: AsidePurpose, request: HopRequest, signal: AbortSignal): Promise<HopResult> {
    const { clock, send, report, proxies } = this.#options;
    const parts = { host: this.host, clock, send, report, proxies, limiter: this.#limiter, reach: this.#reach };
    const own = { note: () => this.#note(), failed: (reason: string) => this.#failed(reason), onRest: this.#onRest };
    return sendAside(purpose, request, { ...parts, ...own }, signal);
  }

  #note(): AsideNote {
    const noted: Noted = { counted: false, obeyed: false };
    return {
      leave: (turn) => this.#leave(turn, noted),
      count: () => this.#countRequest(noted),
      obey: (result) => this.#obey(classify(result, contextAt(this.#options.clock.now(), false)), noted),
    };
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
        this.#record(url, ticket, 'down', `robots.txt is unreachable: ${decision.reason}`);
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
    const isOver = this.#reach.asked();
    return {
      left: () => this.#leave(turn, noted),
      giveBack: () => {
        turn.giveBack();
        isOver();
        // It asks again before it leaves, and is counted then.
        if (!ended && robots !== undefined) this.#count('allowed', -1);
        ended = true;
      },
      heard: (head) => {
        if (isUp(head.status)) this.#reach.answered();
        this.#obey(classify(head, contextAt(clock.now(), false)), noted);
      },
      end: (meaning, sentOn) => {
        turn.leave();
        isOver();
        if (ended) return;
        ended = true;
        if (meaning === undefined) return;
        const failure = 'failure' in meaning ? meaning.failure : undefined;
        if (reachesSite(failure)) this.#countRequest(noted);
        const reason = 'reason' in meaning ? meaning.reason : meaning.kind;
        proxies.learn(passage, url.origin, failure && { failure, reason });
        if (isThere(meaning)) this.#reach.answered();
        else if (isProxyFailure(failure)) this.#failed(reason);
        this.#obey(meaning, noted);
        const sign = sentOn === undefined ? signOf(meaning) : signOfRedirect(url, sentOn);
        this.#record(url, ticket, sign, reason);
      },
    };
  }

  #record({ origin }: URL, ticket: BreakerTicket, sign: HostSign, reason: string): void {
    if (sign === 'up') this.#reach.isUp();
    if (sign === 'down') {
      this.#probedOrigin = origin;
      this.#failed(reason);
    }
    this.#breaker.record(ticket, sign);
  }

  readonly #onRest = (until: Instant): void => {
    if (until === this.#restsUntil) return;
    this.#restsUntil = until;
    this.#onChange();
    const at = this.#options.clock.now();
    this.#options.report({ kind: 'waiting', host: this.host, at, until, reason: 'all proxies rest' });
  };

  #failed(reason: string): void {
    this.#reach.failed(reason);
    this.#onChange();
  }

  get #probing() {
    return {
      userAgent: this.#options.userAgent,
      send: (request: HopRequest, signal: AbortSignal) => this.sendAside('probe', request, signal),
      isHeld: () => this.#heldUntil !== undefined,
    };
  }

  /** False when the host has asked for time since the turn was given, for a connection may be slow to open, or the turn is lost. */
  #leave(turn: Turn, noted: Noted): boolean {
    if (this.#heldUntil !== undefined || !turn.leave()) return false;
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
    this.#heldFor = meaning.reason;
    this.#limiter.holdUntil(until);
    const at = this.#options.clock.now();
    this.#options.report({ kind: 'retry_after', host: this.host, at, until, reason: meaning.reason });
    this.#onChange();
  }

  #breakerChanged(state: BreakerState): void {
    const { kind, failures } = state;
    this.#onChange();
    const isOpen = kind !== 'closed';
    const at = this.#options.clock.now();
    const { until, reason = '' } = (kind === 'open' && this.wait) || {};
    // Each time the host is to be asked later than it was.
    if (until !== undefined) this.#options.report({ kind: 'waiting', host: this.host, at, until, reason });
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (!isOpen) {
      this.#upSince = at;
      this.#reach.answered();
      this.#reach.isUp();
    }
    this.#options.report({ kind: 'breaker', host: this.host, at, state: isOpen ? 'open' : 'closed', failures });
  }

  #count(name: keyof HostCounts, change: 1 | -1 = 1): void {
    this.#counts[name] += change;
    this.#onChange();
  }
}
