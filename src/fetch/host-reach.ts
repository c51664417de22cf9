// Whether a host answers: why it does not and since when, when it last did, and whether it is still waited for. A host that has
// not answered once in this run is waited for only as long as the patience lasts, from when it was first asked; one that has is
// waited for as long as it takes.

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
  /** Until when all proxies rest; undefined when one can be used, or none is needed. */
  readonly proxiesRestUntil: () => Instant | undefined;
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

export class HostReach {
  readonly #options: HostReachOptions;
  readonly #closed = new AbortController();
  #waiting: 'not_begun' | 'begun' | 'over';
  #spent = new AbortController();
  #givenUp: string | undefined;
  #trouble: HostState['trouble'];
  #reachedAt: Instant | undefined;
  #signsOfLife = 0;

  /** `trouble` is what an earlier process met, if the host is down for that. */
  constructor(options: HostReachOptions, earlier: Earlier | undefined) {
    const { trouble, reachedAt } = earlier ?? {};
    this.#options = options;
    this.#trouble = trouble;
    this.#reachedAt = reachedAt;
    const isReached = reachedAt !== undefined && reachedAt >= options.since;
    this.#waiting = isReached || options.patienceMs === 'off' ? 'over' : 'not_begun';
  }

  /** How often the host has shown that it is up: by an answer below 500, or to a probe. */
  get signsOfLife(): number {
    return this.#signsOfLife;
  }

  get state(): Pick<HostState, 'trouble' | 'reachedAt'> {
    const [trouble, reachedAt] = [this.#trouble, this.#reachedAt];
    return { ...(trouble && { trouble }), ...(reachedAt !== undefined && { reachedAt }) };
  }

  /** Whether it is waited for as long as it takes. */
  get isReached(): boolean {
    return this.#waiting === 'over' && this.#givenUp === undefined;
  }

  /** Aborts, with `PATIENCE_SPENT`, when the host is no longer waited for. */
  get spent(): AbortSignal {
    return this.#spent.signal;
  }

  /** Why it is not asked any more in this run; undefined when it is. */
  get givenUp(): string | undefined {
    return this.#givenUp;
  }

  /** Something was sent there, or a connection was tried. */
  asked(): void {
    const { patienceMs } = this.#options;
    if (this.#waiting !== 'not_begun' || patienceMs === 'off') return;
    this.#waiting = 'begun';
    this.#wait(patienceMs).catch(() => {});
  }

  /** It answered, whatever that means. */
  answered(): void {
    this.#reachedAt = this.#options.clock.now();
    if (this.isReached) return;
    this.#waiting = 'over';
    this.#closed.abort();
    if (this.#givenUp !== undefined) this.#spent = new AbortController();
    this.#givenUp = undefined;
  }

  /** It answered as a host does that is up. */
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

  close(): void {
    this.#closed.abort();
  }

  /** Proxies that rest are waited for once: only then is it known whether they help. */
  async #wait(patienceMs: number): Promise<void> {
    const { clock, host, proxiesRestUntil } = this.#options;
    await clock.sleep(patienceMs, this.#closed.signal);
    const restMs = (proxiesRestUntil() ?? 0) - clock.now();
    if (restMs > 0) await clock.sleep(restMs + patienceMs, this.#closed.signal);
    this.#closed.signal.throwIfAborted();
    this.#waiting = 'over';
    const why = this.#trouble === undefined ? '' : `: ${this.#trouble.reason}`;
    this.#givenUp = `${host} was not reached within ${inWords(patienceMs)}${why}`;
    this.#options.onGivenUp(this.#givenUp);
    this.#spent.abort(PATIENCE_SPENT);
  }
}

function inWords(ms: number): string {
  const [count, unit] = ms >= 60_000 && ms % 60_000 === 0 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
