// How far a run is, kept in memory from what was committed: for progress bars, never for decisions about the data.

import type { HostCounts } from '../ledger/count-table.ts';
import type { HostId } from '../ledger/page-result.ts';
import { NO_COUNTS, type Verdict, type VerdictCounts } from '../ledger/verdict.ts';
import type { Clock } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
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
  /** Why nothing is asked of it at the moment, in words; undefined when it is. */
  readonly waits: string | undefined;
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
}

/** What fetching tells about a host beside single answers; see `FetchEvent`. */
export type HostNews = Readonly<Record<string, Json>> & { readonly kind: string };

/** `until` in wall-clock time; undefined: until it is told otherwise. */
interface Wait {
  readonly why: string;
  readonly until: number | undefined;
}

export class Progress implements RunProgress {
  readonly #hosts = new Map<HostId, HostProgress>();
  readonly #settledHere = new Map<HostId, number>();
  readonly #waits = new Map<string, Wait>();
  readonly #clock: Clock;
  readonly #toCome: () => ReadonlyMap<string, number>;
  readonly #startedAt: number;
  records = 0;
  invalid = 0;

  /** `toCome` gives, by host, requests that are certain to be made but are not in the queue yet. */
  constructor(
    hosts: readonly HostCounts[],
    records: { total: number; invalid: number },
    clock: Clock,
    toCome: () => ReadonlyMap<string, number> = () => new Map(),
  ) {
    for (const { hostId, host, counts } of hosts) this.#hosts.set(hostId, { hostId, host, counts: { ...counts } });
    this.records = records.total;
    this.invalid = records.invalid;
    this.#clock = clock;
    this.#toCome = toCome;
    this.#startedAt = clock.monotonic();
  }

  hosts(): HostCounts[] {
    return [...this.#hosts.values()];
  }

  rates(): HostRate[] {
    const seconds = Math.max(0.001, (this.#clock.monotonic() - this.#startedAt) / 1000);
    const toCome = this.#toCome();
    return this.hosts().map(({ hostId, host, counts }) => ({
      host,
      counts: { ...counts, pending: counts.pending + (toCome.get(host) ?? 0) },
      perSecond: (this.#settledHere.get(hostId) ?? 0) / seconds,
      waits: this.#waitOf(host),
    }));
  }

  /** Takes note of what was heard about hosts. */
  heard(news: readonly HostNews[]): void {
    for (const { kind, host, state, until } of news) {
      if (typeof host !== 'string') continue;
      if (kind === 'breaker' && state === 'open') this.#waits.set(host, { why: 'not answering', until: undefined });
      else if (kind === 'breaker') this.#waits.delete(host);
      else if (kind === 'retry_after') this.#waits.set(host, { why: 'asked us to wait', until: Number(until) });
    }
  }

  #waitOf(host: string): string | undefined {
    const { why, until = Number.POSITIVE_INFINITY } = this.#waits.get(host) ?? {};
    return until > this.#clock.now() ? why : undefined;
  }

  queued(added: ReadonlyMap<HostId, { readonly host: string; readonly count: number }>): void {
    for (const [hostId, { host, count }] of added) {
      const known = this.#hosts.get(hostId) ?? { hostId, host, counts: { ...NO_COUNTS } };
      this.#hosts.set(hostId, known);
      known.counts.pending += count;
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
