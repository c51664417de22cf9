// What Prometheus can ask a worker. The names of the first list are the seed's. Labels with a host are bounded: hosts beyond
// the first hundred are counted as `other`, and the gauges of breakers prefer hosts in trouble.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState, ProbeResult } from '../fetch/politeness/breaker-state.ts';

/** Hosts that have a label of their own. */
export const MOST_HOSTS = 100;
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
  readonly #breakers = new Map<string, BreakerState['kind']>();

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
  readonly #paused = this.#gauge('paused', '1 while the outbox is full and nothing is fetched');

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  fetched(host: string, bytes: number): void {
    this.#fetched.inc({ host: this.#label(host) });
    this.#size.observe(bytes);
    this.breakerIs(host, undefined);
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

  levels({ waiting, leased, deadLetters, outbox }: Levels): void {
    this.#queueSize.set(waiting);
    this.#inHand.set(leased);
    this.#dlqSize.set(deadLetters);
    this.#outbox.set(outbox);
  }

  breakerDecided(host: string, from: BreakerState, to: BreakerState): void {
    if (from.kind === 'closed' && to.kind === 'open') this.#opened.inc({ host: this.#label(host) });
    if (from.kind !== 'closed' && to.kind === 'closed') this.#closed.inc({ host: this.#label(host) });
  }

  probed(host: string, result: ProbeResult): void {
    const isUp = result.kind === 'answer' && result.status < 500;
    this.#probes.inc({ host: this.#label(host), result: isUp ? 'success' : 'failure' });
  }

  /** Undefined: nothing is known against the host. It does not change what is known already. */
  breakerIs(host: string, state: BreakerState | undefined): void {
    if (state === undefined && this.#breakers.has(host)) return;
    const { kind, failures } = state ?? { kind: 'closed', failures: 0 };
    if (!this.#breakers.has(host) && !this.#makeRoom(kind)) return;
    this.#breakers.set(host, kind);
    this.#state.set({ host }, STATES[kind]);
    this.#failures.set({ host }, failures);
    this.#backoff.set({ host }, state !== undefined && state.kind !== 'closed' ? state.delayMs / 1_000 : 0);
  }

  /** A host in trouble takes the place of one that is not. */
  #makeRoom(kind: BreakerState['kind']): boolean {
    if (this.#breakers.size < MOST_HOSTS) return true;
    if (kind === 'closed') return false;
    const [quiet] = [...this.#breakers].find(([, is]) => is === 'closed') ?? [];
    if (quiet === undefined) return false;
    this.#breakers.delete(quiet);
    for (const gauge of [this.#state, this.#failures, this.#backoff]) gauge.remove({ host: quiet });
    return true;
  }

  #label(host: string): string {
    if (this.#named.size < MOST_HOSTS) this.#named.add(host);
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
