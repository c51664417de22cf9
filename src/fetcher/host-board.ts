// Which hosts' URLs a worker wants now. A host that is down, held or busy is left out, so that its URLs wait in the queue and
// take nothing from the others. A URL that waits for its next attempt has no place; when its time has come it gets one before new
// URLs do. While a host is down one URL of it may be in hand, when its probe is due: whoever waits probes.

import type { BreakerState } from '../fetch/politeness/breaker-state.ts';
import { unlessAborted } from '../fetch/politeness/unless-aborted.ts';
import type { Clock, Instant } from '../platform/clock.ts';
import type { HostPace } from './watched-politeness.ts';

/** A URL is wanted this long before it may leave. */
const AHEAD_MS = 250;

/** So many URLs may wait for their next attempt, for each that may be worked on. */
const RESTING_PER_PLACE = 16;

interface HostEntry {
  /** Of its URLs, leased and being worked on. */
  inHand: number;
  breaker: BreakerState | undefined;
  /** How long its last answer took. */
  answerMs: number;
}

export interface HostBoardOptions {
  readonly clock: Clock;
  /** URLs in hand at once, not counting those of hosts that are down. */
  readonly concurrency: number;
  readonly hostConcurrency: number;
  readonly paceOf: (host: string) => HostPace | undefined;
}

export class HostBoard {
  readonly #options: HostBoardOptions;
  readonly #hosts = new Map<string, HostEntry>();
  /** Those whose rest is over, in order, and who wait for a place. */
  readonly #waking: { readonly host: string; readonly wake: () => void }[] = [];
  #resting = 0;

  constructor(options: HostBoardOptions) {
    this.#options = options;
  }

  took(host: string): void {
    this.#entry(host).inHand++;
  }

  ended(host: string): void {
    this.#entry(host).inHand--;
    this.#serve();
  }

  /** A URL in hand waits for its next attempt from now on, and leaves its place to others. */
  rests(host: string): void {
    this.#resting++;
    this.ended(host);
  }

  /** Its next attempt is due. Resolves when it has a place again; rejects with the signal's reason, and with a place too. */
  async wakes(host: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) {
      this.#wake(host);
      throw signal.reason;
    }
    const woken = Promise.withResolvers<void>();
    const waiting = { host, wake: woken.resolve };
    this.#waking.push(waiting);
    this.#serve();
    try {
      await unlessAborted(woken.promise, signal);
    } catch (error) {
      const at = this.#waking.indexOf(waiting);
      if (at !== -1) {
        this.#waking.splice(at, 1);
        this.#wake(host);
      }
      throw error;
    }
  }

  answered(host: string, answerMs: number): void {
    this.#entry(host).answerMs = answerMs;
  }

  breakerChanged(host: string, state: BreakerState): void {
    this.#entry(host).breaker = state;
    this.#serve();
  }

  /** Whether another URL may be taken at all. What is in hand of hosts that are down has as much room of its own. */
  get hasRoom(): boolean {
    const { concurrency } = this.#options;
    return this.#inHand(isUp) + this.#waking.length < concurrency && this.#resting < RESTING_PER_PLACE * concurrency;
  }

  /** Hosts whose URLs are not wanted now. */
  unwanted(): string[] {
    this.#forget();
    const probesAreFull = this.#inHand((entry) => !isUp(entry)) >= this.#options.concurrency;
    return [...this.#hosts]
      .filter(([host, entry]) => !this.#isWanted(host, entry) || (probesAreFull && !isUp(entry)))
      .map(([host]) => host);
  }

  /** How long until a host is wanted that is not now, by time alone: infinite when there is none. */
  waitMs(): number {
    const now = this.#options.clock.now();
    const waits = [...this.#hosts]
      .filter(([host, entry]) => entry.inHand < this.#share(host, entry))
      .map(([host, entry]) => this.#wantedAt(host, entry) - now);
    return Math.min(...waits.filter((waitMs) => waitMs > 0));
  }

  #serve(): void {
    const { concurrency } = this.#options;
    for (const waiting of [...this.#waking]) {
      const entry = this.#entry(waiting.host);
      const hasPlace = entry.inHand < this.#share(waiting.host, entry);
      if (!hasPlace || (isUp(entry) && this.#inHand(isUp) >= concurrency)) continue;
      this.#waking.splice(this.#waking.indexOf(waiting), 1);
      this.#wake(waiting.host);
      waiting.wake();
    }
  }

  #wake(host: string): void {
    this.#resting--;
    this.took(host);
  }

  #isWanted(host: string, entry: HostEntry): boolean {
    if (this.#waking.some((waiting) => waiting.host === host)) return false;
    return entry.inHand < this.#share(host, entry) && this.#wantedAt(host, entry) <= this.#options.clock.now();
  }

  #wantedAt(host: string, { breaker }: HostEntry): Instant {
    const probeAt = breaker?.kind === 'open' ? breaker.probeAt : 0;
    return Math.max(probeAt, this.#freeAt(host) - AHEAD_MS);
  }

  /** As many as are under way at its pace, and one that is ready to follow. */
  #share(host: string, entry: HostEntry): number {
    if (!isUp(entry)) return 1;
    const { hostConcurrency, paceOf } = this.#options;
    const intervalMs = paceOf(host)?.intervalMs ?? 0;
    if (intervalMs === 0) return hostConcurrency;
    return Math.min(hostConcurrency, 1 + Math.ceil(entry.answerMs / intervalMs));
  }

  /** Nothing is remembered of a host that would be wanted without it. */
  #forget(): void {
    const now = this.#options.clock.now();
    for (const [host, entry] of this.#hosts) {
      if (entry.inHand === 0 && !isTroubled(entry) && this.#freeAt(host) <= now) this.#hosts.delete(host);
    }
  }

  #freeAt(host: string): Instant {
    return this.#options.paceOf(host)?.freeAt ?? 0;
  }

  #inHand(of: (entry: HostEntry) => boolean): number {
    let sum = 0;
    for (const entry of this.#hosts.values()) if (of(entry)) sum += entry.inHand;
    return sum;
  }

  #entry(host: string): HostEntry {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const entry: HostEntry = { inHand: 0, breaker: undefined, answerMs: 0 };
    this.#hosts.set(host, entry);
    return entry;
  }
}

function isUp({ breaker }: HostEntry): boolean {
  return breaker === undefined || breaker.kind === 'closed';
}

function isTroubled({ breaker }: HostEntry): boolean {
  return breaker !== undefined && (breaker.kind !== 'closed' || breaker.failures > 0);
}
