// Which hosts' URLs a worker wants now. A host that is down, held or busy is left out, so that its URLs wait in the queue and
// take nothing from the others. While a host is down one URL of it may be in hand, when its probe is due: whoever waits probes.

import type { BreakerState } from '../fetch/politeness/breaker-state.ts';
import type { Clock, Instant } from '../platform/clock.ts';
import type { HostPace } from './watched-politeness.ts';

/** A URL is wanted this long before it may leave. */
const AHEAD_MS = 250;

interface HostEntry {
  /** Of its URLs, leased and without an outcome. */
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

  constructor(options: HostBoardOptions) {
    this.#options = options;
  }

  took(host: string): void {
    this.#entry(host).inHand++;
  }

  ended(host: string): void {
    this.#entry(host).inHand--;
  }

  answered(host: string, answerMs: number): void {
    this.#entry(host).answerMs = answerMs;
  }

  breakerChanged(host: string, state: BreakerState): void {
    this.#entry(host).breaker = state;
  }

  /** Whether another URL may be taken at all. What is in hand of hosts that are down has as much room of its own. */
  get hasRoom(): boolean {
    return this.#inHand(isUp) < this.#options.concurrency;
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

  #isWanted(host: string, entry: HostEntry): boolean {
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
