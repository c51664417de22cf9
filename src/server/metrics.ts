// Metrics for Prometheus. What is in the ledger is read when it is asked for; only calls of the API are counted as they come.
// docs/api.md lists every metric.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { NO_COUNTS } from '../ledger/verdict.ts';
import type { RunRow } from './contract/runs.ts';
import { listHosts } from './routes/host-routes.ts';
import type { ServerContext } from './server-context.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export class Metrics {
  readonly #registry = new Registry();
  readonly #calls = new Counter({
    name: 'curlew_http_requests_total',
    help: 'Calls of this API',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'curlew_http_request_seconds',
    help: 'How long calls of this API took',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #runs = this.#gauge('curlew_runs', 'Runs there are', ['kind', 'state']);
  readonly #requests = this.#gauge('curlew_run_requests', 'Requests of the latest run of each name', [
    'run',
    'kind',
    'name',
    'verdict',
  ]);
  readonly #records = this.#gauge('curlew_run_records', 'Records of the latest run of each name', [
    'run',
    'kind',
    'name',
    'valid',
  ]);
  readonly #queue = this.#gauge('curlew_queue_requests', 'Requests that wait, of runs that are going on', ['host']);
  readonly #open = this.#gauge('curlew_host_breaker_open', '1 while a host is taken for down', ['host']);
  readonly #asked = this.#gauge('curlew_host_requests_total', 'Requests that ever left for a host', ['host']);
  readonly #downloads = this.#gauge('curlew_downloads', 'Downloads of the latest run of each source', [
    'run',
    'source',
    'status',
  ]);
  readonly #deadLetters = this.#gauge('curlew_dead_letters', 'addresses that the fetcher gave up', []);

  readonly #checked = this.#gauge('curlew_fixity_checked_total', 'Pages and files that the scrubber looked at', []);
  readonly #damaged = this.#gauge('curlew_fixity_damaged', 'Pages and files that are damaged, as far as it knows', []);
  readonly #oldest = this.#gauge('curlew_fixity_oldest_check_seconds', 'No check of the scrubber is older', []);

  /** Of all metrics. */
  get names(): string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** A call has ended. `route` is its pattern, so that there are as many as there are routes. */
  called(method: string, route: string, status: number, seconds: number): void {
    this.#calls.inc({ method, route, status });
    this.#seconds.observe({ route }, seconds);
  }

  async text(context: ServerContext): Promise<string> {
    const { ledger, rows } = context;
    for (const gauge of [
      this.#runs,
      this.#requests,
      this.#records,
      this.#queue,
      this.#open,
      this.#asked,
      this.#downloads,
    ])
      gauge.reset();
    const latest = await rows.rows(await ledger.reports.latestRuns());
    for (const { kind, status, n } of await ledger.reports.countRuns()) this.#runs.set({ kind, state: status }, n);
    for (const row of latest) this.#tellRun(row);
    for (const { id } of latest.filter(({ state }) => state === 'running')) {
      const run = await ledger.run(id);
      for (const { host, counts } of await ledger.countsByHost(run.id)) this.#queue.inc({ host }, counts.pending);
    }
    for (const { host, breaker, requests } of await listHosts(context)) {
      this.#open.set({ host }, breaker.state === 'closed' ? 0 : 1);
      this.#asked.set({ host }, requests);
    }
    const scrub = ledger.scrub.state();
    this.#checked.set(scrub?.checked ?? 0);
    this.#damaged.set(ledger.scrub.count());
    // Before the first whole round some things were never looked at.
    if (scrub?.lastRoundAt === undefined) this.#oldest.set(Number.POSITIVE_INFINITY);
    else this.#oldest.set((context.clock.now() - scrub.lastRoundAt) / 1_000);
    // A fleet's Redis that does not answer is no reason to tell nothing.
    const letters = await context.letters.look((dead) => dead.size()).catch(() => undefined);
    if (letters !== undefined) this.#deadLetters.set(letters);
    return this.#registry.metrics();
  }

  #tellRun({ id: run, kind, name, counts, records, invalid, downloads }: RunRow): void {
    for (const verdict of Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[]) {
      this.#requests.set({ run, kind, name, verdict }, counts[verdict]);
    }
    this.#records.set({ run, kind, name, valid: 'true' }, records - invalid);
    this.#records.set({ run, kind, name, valid: 'false' }, invalid);
    for (const [status, n] of Object.entries(downloads ?? {})) {
      if (status !== 'total') this.#downloads.set({ run, source: name, status }, n);
    }
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}
