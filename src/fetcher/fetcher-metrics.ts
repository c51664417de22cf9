// What Prometheus can ask a worker. The names of the first list are the seed's. Only hosts that were named have labels of their
// own, with counters that begin at 0; all others are counted as `other`, whose breaker is the worst of theirs.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState, ProbeResult } from '../fetch/politeness/breaker-state.ts';
import { MOST_LABELLED_HOSTS } from './labelled-hosts.ts';

const OTHER_HOSTS = 'other';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BYTES = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384].map((kib) => kib * 1_024);
const STATES = { closed: 0, open: 1, half_open: 2 } as const;

/** What the worker looks up when it is asked. */
export interface Levels {
  readonly waiting: number;
  readonly leased: number;
  readonly deadLetters: number;
  readonly outbox: number;
}

export class FetcherMetrics {
  readonly #registry = new Registry();
  readonly #named = new Set<string>();
  /** Breakers of hosts without a label that are not closed. */
  readonly #otherBreakers = new Map<string, BreakerState>();

  readonly #fetched = this.#counter('pages_fetched_total', 'Pages that were fetched and stored', ['host']);
  readonly #failed = this.#counter('pages_failed_total', 'URLs that failed for good, after retries', ['host']);
  readonly #skipped = this.#counter('pages_skipped_robots_total', 'URLs that robots.txt forbids', ['host']);
  readonly #requeued = this.#counter('pages_requeued_total', 'URLs requeued because their host is down', ['host']);
  readonly #retries = this.#counter('retries_total', 'Attempts after the first', ['host']);
  readonly #buried = this.#counter('dlq_enqueued_total', 'URLs that became dead letters');
  readonly #opened = this.#counter('circuit_breaker_opened_total', 'Times this worker took a host for down', ['host']);
  readonly #closed = this.#counter('circuit_breaker_closed_total', 'Times this worker found a host up again', ['host']);
  readonly #probes = this.#counter('circuit_breaker_probes_total', 'Probes of hosts that are down', ['host', 'result']);
  readonly #queueSize = this.#gauge('input_queue_size', 'URLs that wait');
  readonly #dlqSize = this.#gauge('dlq_size', 'Dead letters');
  readonly #state = this.#gauge('circuit_breaker_state', '0 closed, 1 open, 2 half open', ['host']);
  readonly #failures = this.#gauge('circuit_breaker_consecutive_failures', 'Failures of a host in a row', ['host']);
  readonly #backoff = this.#gauge('circuit_breaker_current_backoff_seconds', 'Between two probes of a host', ['host']);
  readonly #duration = this.#histogram(
    'fetch_duration_seconds',
    'From the first byte sent to the last received',
    SECONDS,
  );
  readonly #size = this.#histogram('content_size_bytes', 'Content of fetched pages, decoded', BYTES);

  readonly #rateLimited = this.#counter('pages_rate_limited_total', 'URLs requeued because of a 429', ['host']);
  readonly #late = this.#counter('late_results_total', 'Results that came after their lease had ended');
  readonly #published = this.#counter('events_published_total', 'Events that this worker took to the log');
  readonly #inHand = this.#gauge('leased', 'URLs that workers have in hand');
  readonly #outbox = this.#gauge('outbox_size', 'Events that wait to be published');
  readonly #paused = this.#gauge('paused', '1 while no URL is taken because pages cannot be stored');
  readonly #up = this.#gauge('dependency_up', '1 while Redis, or Kafka, can be worked with, else 0', ['dependency']);

  constructor() {
    this.#begin(OTHER_HOSTS);
    this.levels(undefined);
  }

  /** By name, whether each thing that the worker depends on can be used now. */
  dependencies(works: Readonly<Record<string, boolean>>): void {
    for (const [dependency, isUp] of Object.entries(works)) this.#up.set({ dependency }, isUp ? 1 : 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Gives the hosts labels of their own, as far as there is room. Their counters begin at 0. */
  name(hosts: readonly string[]): void {
    for (const host of hosts) {
      if (host === OTHER_HOSTS || this.#named.has(host) || this.#named.size >= MOST_LABELLED_HOSTS) continue;
      this.#named.add(host);
      this.#begin(host);
      const state = this.#otherBreakers.get(host);
      if (state !== undefined) this.breakerIs(host, state);
    }
  }

  fetched(host: string, bytes: number): void {
    this.#fetched.inc({ host: this.#label(host) });
    this.#size.observe(bytes);
  }

  failed(host: string): void {
    this.#failed.inc({ host: this.#label(host) });
    this.buried(1);
  }

  /** Of any kind: failed, malformed, or refused by the log. */
  buried(count: number): void {
    this.#buried.inc(count);
  }

  skipped(host: string): void {
    this.#skipped.inc({ host: this.#label(host) });
  }

  requeued(host: string): void {
    this.#requeued.inc({ host: this.#label(host) });
  }

  rateLimited(host: string): void {
    this.#rateLimited.inc({ host: this.#label(host) });
  }

  retried(host: string): void {
    this.#retries.inc({ host: this.#label(host) });
  }

  /** One request and its answer. */
  exchanged(durationMs: number): void {
    this.#duration.observe(durationMs / 1_000);
  }

  late(): void {
    this.#late.inc();
  }

  published(count: number): void {
    this.#published.inc(count);
  }

  paused(isPaused: boolean): void {
    this.#paused.set(isPaused ? 1 : 0);
  }

  /** Undefined when nobody knows: then there is no sample, since an old one would pass for the truth. */
  levels(levels: Levels | undefined): void {
    const known: readonly (readonly [Gauge, number | undefined])[] = [
      [this.#queueSize, levels?.waiting],
      [this.#inHand, levels?.leased],
      [this.#dlqSize, levels?.deadLetters],
      [this.#outbox, levels?.outbox],
    ];
    for (const [gauge, level] of known) {
      if (level === undefined) gauge.remove();
      else gauge.set(level);
    }
  }

  breakerDecided(host: string, from: BreakerState, to: BreakerState): void {
    if (from.kind === 'closed' && to.kind === 'open') this.#opened.inc({ host: this.#label(host) });
    if (from.kind !== 'closed' && to.kind === 'closed') this.#closed.inc({ host: this.#label(host) });
  }

  probed(host: string, result: ProbeResult): void {
    const isUp = result.kind === 'answer' && result.status < 500;
    this.#probes.inc({ host: this.#label(host), result: isUp ? 'success' : 'failure' });
  }

  /** The breaker of the host is now so, as far as this worker knows. */
  breakerIs(host: string, state: BreakerState): void {
    if (this.#named.has(host)) {
      this.#otherBreakers.delete(host);
      this.#showBreaker(host, [state]);
    } else if (state.kind === 'closed') this.#otherBreakers.delete(host);
    else this.#otherBreakers.set(host, state);
    this.#showBreaker(OTHER_HOSTS, [...this.#otherBreakers.values()]);
  }

  /** The worst of the states. None: nothing is known against the host. */
  #showBreaker(label: string, states: readonly BreakerState[]): void {
    const worst = (of: (state: BreakerState) => number) => Math.max(0, ...states.map(of));
    this.#state.set(
      { host: label },
      worst(({ kind }) => STATES[kind]),
    );
    this.#failures.set(
      { host: label },
      worst(({ failures }) => failures),
    );
    this.#backoff.set(
      { host: label },
      worst((state) => (state.kind === 'closed' ? 0 : state.delayMs / 1_000)),
    );
  }

  /** Prometheus computes an increase from one sample to the next: there must be one before the first event. */
  #begin(label: string): void {
    const counters = [this.#fetched, this.#failed, this.#skipped, this.#requeued, this.#rateLimited, this.#retries];
    for (const counter of [...counters, this.#opened, this.#closed]) counter.inc({ host: label }, 0);
    for (const result of ['success', 'failure']) this.#probes.inc({ host: label, result }, 0);
    this.#showBreaker(label, []);
  }

  #label(host: string): string {
    return this.#named.has(host) ? host : OTHER_HOSTS;
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name: `page_fetcher_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Gauge({ name: `page_fetcher_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: number[]) {
    return new Histogram({ name: `page_fetcher_${name}`, help, buckets, registers: [this.#registry] });
  }
}
