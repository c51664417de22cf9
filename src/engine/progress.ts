// How far a run is, kept in memory from what was committed: for progress bars, never for decisions about the data.

import type { HostWait } from '../fetch/host-wait.ts';
import type { HostCounts } from '../ledger/count-table.ts';
import type { HostId } from '../ledger/page-result.ts';
import { NO_COUNTS, type Verdict, type VerdictCounts } from '../ledger/verdict.ts';
import type { Clock } from '../platform/clock.ts';
import type { PreparedPage } from './scribe.ts';

interface HostProgress {
  readonly hostId: HostId;
  readonly host: string;
  readonly counts: Record<Verdict | 'pending', number>;
}

/** How far one host is. */
export interface HostRate {
  /** With its port. */
  readonly host: string;
  readonly counts: VerdictCounts;
  /** Requests settled per second since this start. */
  readonly perSecond: number;
  /** Whether requests were added of late: what is pending now is not all there will be. */
  readonly grows: boolean;
  /** What is waited for before more is asked of it; undefined when it is asked as usual. */
  readonly wait: HostWait | undefined;
}

/** How far a run is: read again for every look, since it goes on. */
export interface RunProgress {
  /** Records committed so far, invalid ones included. */
  readonly records: number;
  /** Those that do not fit their schema. */
  readonly invalid: number;
  /** All hosts together; what is to come counts as pending. */
  total(): VerdictCounts;
  /** Each host; what is to come counts as pending. */
  rates(): HostRate[];
  /**
   * What is waited for: hosts that are down, do not answer or have asked for time, and proxies that rest. Not a host of which
   * nothing is wanted any more.
   */
  waits(): readonly HostWait[];
}

/** A queue that got something within this time is taken to get more. */
const GROWING_MS = 10_000;

export class Progress implements RunProgress {
  readonly #hosts = new Map<HostId, HostProgress>();
  readonly #settledHere = new Map<HostId, number>();
  readonly #addedAt = new Map<HostId, number>();
  readonly #clock: Clock;
  readonly #toCome: () => ReadonlyMap<string, number>;
  readonly #waits: () => readonly HostWait[];
  readonly #startedAt: number;
  records = 0;
  invalid = 0;

  /**
   * `toCome` gives, by host, requests that are certain to be made but are not in the queue yet; `waits` gives what is waited
   * for at the moment.
   */
  constructor(
    hosts: readonly HostCounts[],
    records: { total: number; invalid: number },
    clock: Clock,
    toCome: () => ReadonlyMap<string, number> = () => new Map(),
    waits: () => readonly HostWait[] = () => [],
  ) {
    for (const { hostId, host, counts } of hosts) this.#hosts.set(hostId, { hostId, host, counts: { ...counts } });
    this.records = records.total;
    this.invalid = records.invalid;
    this.#clock = clock;
    this.#toCome = toCome;
    this.#waits = waits;
    this.#startedAt = clock.monotonic();
  }

  hosts(): HostCounts[] {
    return [...this.#hosts.values()];
  }

  rates(): HostRate[] {
    const seconds = Math.max(0.001, (this.#clock.monotonic() - this.#startedAt) / 1000);
    const toCome = this.#toCome();
    const waits = new Map(this.#waits().map((wait) => [wait.host, wait]));
    return this.hosts().map(({ hostId, host, counts }) => ({
      host,
      counts: { ...counts, pending: counts.pending + (toCome.get(host) ?? 0) },
      perSecond: (this.#settledHere.get(hostId) ?? 0) / seconds,
      grows: this.#clock.monotonic() - (this.#addedAt.get(hostId) ?? Number.NEGATIVE_INFINITY) < GROWING_MS,
      wait: waits.get(host),
    }));
  }

  waits(): readonly HostWait[] {
    const rates = this.rates();
    return this.#waits().filter(({ host }) => rates.find((rate) => rate.host === host)?.counts.pending !== 0);
  }

  queued(added: ReadonlyMap<HostId, { readonly host: string; readonly count: number }>): void {
    for (const [hostId, { host, count }] of added) {
      const known = this.#hosts.get(hostId) ?? { hostId, host, counts: { ...NO_COUNTS } };
      this.#hosts.set(hostId, known);
      known.counts.pending += count;
      if (count > 0) this.#addedAt.set(hostId, this.#clock.monotonic());
    }
  }

  committed(pages: readonly PreparedPage[]): void {
    for (const { request, settlement, records } of pages) {
      this.records += records.length;
      for (const { errors } of records) if (errors !== undefined) this.invalid++;
      const host = this.#hosts.get(request.hostId);
      if (settlement.kind !== 'settled' || host === undefined) continue;
      host.counts.pending--;
      host.counts[settlement.verdict]++;
      this.#settledHere.set(request.hostId, (this.#settledHere.get(request.hostId) ?? 0) + 1);
    }
  }

  total(): VerdictCounts {
    const total = { ...NO_COUNTS } as Record<Verdict | 'pending', number>;
    for (const { counts } of this.#hosts.values()) {
      for (const key of Object.keys(total) as (Verdict | 'pending')[]) total[key] += counts[key];
    }
    for (const count of this.#toCome().values()) total.pending += count;
    return total;
  }
}
