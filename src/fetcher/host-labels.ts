// Gives a host its counters, at 0, before the first URL of it is fetched: Prometheus sees an increase only from a sample that it
// knows. Which hosts have counters of their own is decided by the list that all workers share.

import type { Clock } from '../platform/clock.ts';
import type { FetcherMetrics } from './fetcher-metrics.ts';
import type { LabelledHosts } from './labelled-hosts.ts';

/** How often the list is told that a host is still in use, and asked again for one that had no room. */
const ASK_AGAIN_MS = 3_600_000;

export class HostLabels {
  readonly #hosts: LabelledHosts;
  readonly #metrics: FetcherMetrics;
  readonly #clock: Clock;
  readonly #askedAt = new Map<string, number>();

  constructor(hosts: LabelledHosts, metrics: FetcherMetrics, clock: Clock) {
    this.#hosts = hosts;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Gives the hosts that an earlier worker met their counters. */
  async load(): Promise<void> {
    await this.#name(() => this.#hosts.list());
  }

  /** To be awaited before work for the host begins. Asks the list once an hour for each host. */
  async appear(host: string): Promise<void> {
    const now = this.#clock.monotonic();
    const askedAt = this.#askedAt.get(host);
    if (askedAt !== undefined && now - askedAt < ASK_AGAIN_MS) return;
    this.#askedAt.set(host, now);
    await this.#name(() => this.#hosts.claim(host));
  }

  async #name(ask: () => Promise<readonly string[]>): Promise<void> {
    try {
      this.#metrics.name(await ask());
    } catch {
      // A list that cannot be asked costs the host its label, for now. Whoever needs the backend for work tells of it.
    }
  }
}
