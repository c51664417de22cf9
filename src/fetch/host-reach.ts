// Whether a host answers: why it does not and since when, when it last did, and whether it is still waited for. A host that has
// not answered once in this run is waited for only as long as the patience lasts, from when it was first asked; one that has is
// waited for as long as it takes. An answer that says that the host does not work (500, 502, 503, 504) is none.

import type { Clock, Instant } from '../platform/clock.ts';
import type { HostState } from './host-state.ts';

export interface ReachSettings {
  /** How long a host is waited for that has not answered once, in ms. `off`: as long as it takes. */
  readonly patienceMs: number | 'off';
  /** What was answered since then was answered in this run. */
  readonly since: Instant;
}

export interface HostReachOptions extends ReachSettings {
  readonly host: string;
  readonly clock: Clock;
  /** Until when nothing can be asked: all proxies rest, or the host has asked for time. Undefined when it can be asked. */
  readonly restsUntil: () => Instant | undefined;
  /** What the answer was with which the host asked for time last. */
  readonly heldFor: () => string | undefined;
  /** Is told that a host which nobody has heard of yet does not answer. */
  readonly onSilent: (reason: string) => void;
  readonly onGivenUp: (reason: string) => void;
}

/** What an earlier process has left. */
interface Earlier {
  readonly trouble?: HostState['trouble'] | undefined;
  readonly reachedAt?: Instant;
}

/** What a wait is ended with when the patience is spent. */
export const PATIENCE_SPENT = new Error('The host was not reached in time.');

const OVER = new Error('The wait is over.');

export class HostReach {
  readonly #options: HostReachOptions;
  readonly #asked = Promise.withResolvers<void>();
  /** When the patience is spent; undefined before the host is asked. */
  #deadline: Instant | undefined;
  #waitsForRest = true;
  #isReached: boolean;
  #givenUp: string | undefined;
  #trouble: HostState['trouble'];
  #reachedAt: Instant | undefined;
  #signsOfLife = 0;
  /** When each request was asked that has not ended, the oldest first. */
  readonly #underWay = new Map<object, Instant>();
  #lastEnd: Instant = 0;

  /** `trouble` is what an earlier process met, if the host is down for that. */
  constructor(options: HostReachOptions, earlier: Earlier | undefined) {
    const { trouble, reachedAt } = earlier ?? {};
    this.#options = options;
    this.#trouble = trouble;
    this.#reachedAt = reachedAt;
    this.#isReached = reachedAt !== undefined && reachedAt >= options.since;
  }

  /** How often the host has shown that it is up: by an answer below 500, or to a probe. */
  get signsOfLife(): number {
    return this.#signsOfLife;
  }

  get state(): Pick<HostState, 'trouble' | 'reachedAt'> {
    const [trouble, reachedAt] = [this.#trouble, this.#reachedAt];
    return { ...(trouble && { trouble }), ...(reachedAt !== undefined && { reachedAt }) };
  }

  /** Why it is not asked any more in this run; undefined when it is. */
  get givenUp(): string | undefined {
    const { patienceMs, host, onGivenUp } = this.#options;
    if (this.#givenUp !== undefined || patienceMs === 'off' || this.#leftMs() > 0) return this.#givenUp;
    const why = this.#trouble?.reason ?? this.#options.heldFor();
    this.#givenUp = `${host} was not reached within ${inWords(patienceMs)}${why === undefined ? '' : `: ${why}`}`;
    onGivenUp(this.#givenUp);
    return this.#givenUp;
  }

  /** How long nothing has ended there although something was asked, in ms; 0 when nothing is under way. */
  get silentMs(): number {
    const [oldest] = this.#underWay.values();
    return oldest === undefined ? 0 : this.#options.clock.now() - Math.max(oldest, this.#lastEnd);
  }

  /** Something was sent there, or a connection was tried. The result is called when that has ended. */
  asked(): () => void {
    const { clock, patienceMs } = this.#options;
    const request = {};
    this.#underWay.set(request, clock.now());
    if (this.#deadline === undefined && patienceMs !== 'off') {
      this.#deadline = clock.now() + patienceMs;
      this.#asked.resolve();
    }
    return () => {
      if (this.#underWay.delete(request)) this.#lastEnd = clock.now();
    };
  }

  /** It answered as a host does that is there. */
  answered(): void {
    this.#reachedAt = this.#options.clock.now();
    this.#isReached = true;
    this.#givenUp = undefined;
  }

  /** It answered a request or a probe as a host does that is up. */
  isUp(): void {
    this.#signsOfLife++;
    this.#trouble = undefined;
  }

  /** No answer came, or one that says that the host is down. */
  failed(reason: string): void {
    const isNews = this.#trouble === undefined && this.#signsOfLife === 0;
    this.#trouble = { since: this.#trouble?.since ?? this.#options.clock.now(), reason };
    if (isNews) this.#options.onSilent(reason);
  }

  /** Does `work`, which waits for the host to come back: as long as the patience lasts, then it rejects with `PATIENCE_SPENT`. */
  async inPatience<T>(stop: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isReached || this.#options.patienceMs === 'off') return work(stop);
    const spent = new AbortController();
    const over = new AbortController();
    this.#watch(over.signal).then(
      () => spent.abort(PATIENCE_SPENT),
      () => {},
    );
    try {
      return await work(AbortSignal.any([stop, spent.signal]));
    } finally {
      over.abort(OVER);
    }
  }

  /** Resolves when the patience is spent. */
  async #watch(over: AbortSignal): Promise<void> {
    await this.#asked.promise;
    over.throwIfAborted();
    while (this.#leftMs() > 0) await this.#options.clock.sleep(Math.min(this.#leftMs(), LOOK_MS), over);
  }

  /** A rest is waited for once: only then is it known whether that helps. */
  #leftMs(): number {
    const { clock, patienceMs, restsUntil } = this.#options;
    if (this.#isReached || this.#deadline === undefined || patienceMs === 'off') return Number.POSITIVE_INFINITY;
    const leftMs = this.#deadline - clock.now();
    const restUntil = leftMs > 0 ? undefined : restsUntil();
    if (restUntil === undefined || !this.#waitsForRest) return leftMs;
    this.#waitsForRest = false;
    this.#deadline = restUntil + patienceMs;
    return this.#deadline - clock.now();
  }
}

/** The host may be reached meanwhile. */
const LOOK_MS = 3_600_000;

function inWords(ms: number): string {
  const [count, unit] = ms >= 60_000 && ms % 60_000 === 0 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
