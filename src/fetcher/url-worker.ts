// One URL from its lease to its one outcome: a stored page, an acknowledgement, a dead letter, or back to the queue. What the
// host is to blame for goes back; what the URL is to blame for is tried again and then buried.

import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { headerValue } from '../fetch/http/header-list.ts';
import type { FetchedExchange, Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { assertNever, CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import type { FetcherMetrics } from './fetcher-metrics.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { type FetchedPage, fetchedPage } from './webpage-event.ts';
import type { Lease, StoreResult, WorkQueue } from './work-queue.ts';

/** Our own trouble, and no fault of the page's: notes of hosts cannot be written, or there is no socket left. It goes back. */
const OUR_STORE: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.diskFull,
  ErrorCode.dataDirectory,
  ErrorCode.outOfSockets,
]);

/** How long a page waits before it is offered to a full outbox again. */
const FULL_MS = 250;

export interface UrlWorkerParts {
  readonly pipeline: FetchPipeline;
  readonly queue: WorkQueue;
  /** Told of every lease that is about to be ended. */
  readonly keeper: LeaseKeeper;
  readonly config: FetcherConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: FetcherMetrics;
  readonly log: Log;
  /** Does it until it succeeds, however long the backend is away. */
  readonly persist: <T>(operation: () => Promise<T>) => Promise<T>;
  /** Aborts when the service is to end. */
  readonly ending: AbortSignal;
  /** A page waits for room in the outbox, from now on until `onRoom`. */
  readonly onOutboxFull: () => void;
  readonly onRoom: () => void;
  /** Waits before the next attempt, without a place of its own. Rejects with the signal's reason. */
  readonly rest: (host: string, delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly onAnswered: (host: string, durationMs: number) => void;
  /** The host wants to be left alone for a while. */
  readonly onHeld: (host: string) => void;
}

/** Beyond this, the URL that was given back first begins to count anew. */
const MOST_REMEMBERED = 10_000;

export class UrlWorker {
  readonly #parts: UrlWorkerParts;
  /** Attempts of URLs that went back to the queue between two of them. Each worker counts its own. */
  readonly #attempts = new Map<string, number>();

  constructor(parts: UrlWorkerParts) {
    this.#parts = parts;
  }

  /**
   * `stop` ends waiting, and the URL goes back to the queue; `abort` ends everything. Rejects only when the backend could not
   * be told within the service's own time: then the lease ends by itself.
   */
  async work(lease: Lease, patience: Patience): Promise<void> {
    const { config, random, metrics, log, rest } = this.#parts;
    const retry = { attempts: config.maxRetries, baseDelayMs: config.retryBackoffBaseMs, jitter: 0.1 };
    const before = this.#attempts.get(lease.url) ?? 0;
    this.#attempts.delete(lease.url);
    for (let attempt = before + 1; ; attempt++) {
      let outcome: Outcome;
      try {
        outcome = await this.#ask(lease, patience);
      } catch (error) {
        if (patience.stop.aborted || patience.abort.aborted) return this.#giveBack(lease);
        if (error instanceof CurlewError && OUR_STORE.has(error.code)) {
          log.event('requeued', { url: lease.url, reason: error.message });
          return this.#giveBack(lease);
        }
        return this.#bury(lease, {
          reason: 'internal',
          detail: messageOf(error),
          status: undefined,
          attempts: attempt,
        });
      }
      if (outcome.kind !== 'url_specific') return this.#conclude(lease, outcome);
      const { status, reason: detail, retriable } = outcome;
      const decision = retriable ? decideRetry(attempt, random, retry) : { kind: 'give_up' as const };
      if (decision.kind === 'give_up') {
        return this.#bury(lease, { reason: reasonOf(outcome), detail, status, attempts: attempt });
      }
      try {
        await rest(lease.host, decision.delayMs, AbortSignal.any([patience.stop, patience.abort]));
      } catch {
        // Its breaker has opened, or the service ends. What was tried counts, or a page that always fails would never end.
        this.#remember(lease.url, attempt);
        log.event('requeued', { url: lease.url, reason: detail });
        metrics.requeued(lease.host);
        return this.#giveBack(lease);
      }
      metrics.retried(lease.host);
    }
  }

  #remember(url: string, attempts: number): void {
    this.#attempts.set(url, attempts);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > MOST_REMEMBERED && oldest !== undefined) this.#attempts.delete(oldest);
  }

  async #ask({ url, host }: Lease, patience: Patience): Promise<Outcome> {
    const { pipeline, config, metrics, onAnswered } = this.#parts;
    const outcome = await pipeline.fetch({ ...GET, url, maxRedirects: config.maxRedirects }, patience);
    for (const { durationMs } of outcome.exchanges) metrics.exchanged(durationMs);
    const last = outcome.exchanges.at(-1);
    if (last !== undefined) onAnswered(host, last.durationMs);
    return outcome;
  }

  async #conclude(lease: Lease, outcome: Exclude<Outcome, { kind: 'url_specific' }>): Promise<void> {
    const { metrics, log, onHeld, queue } = this.#parts;
    const { url, host } = lease;
    switch (outcome.kind) {
      case 'ok':
        return this.#store(lease, pageOf(url, outcome.response));
      case 'skipped':
        log.event('skipped', { url, reason: outcome.reason });
        if (
          await this.#inTime(
            lease,
            this.#end(lease, () => queue.acknowledge(lease)),
          )
        )
          metrics.skipped(host);
        return;
      case 'site_wide':
      // The service waits for every host as long as it takes, and so none is given up.
      case 'unreached':
        log.event('requeued', { url, reason: outcome.reason });
        metrics.requeued(host);
        return this.#giveBack(lease);
      case 'rate_limited':
        log.event('rate_limited', { url, reason: outcome.reason, until: outcome.until });
        metrics.rateLimited(host);
        onHeld(host);
        return this.#giveBack(lease);
      case 'unchanged':
        // Nothing is asked conditionally, so there is nothing that it could be unchanged from.
        return this.#bury(lease, { reason: 'http_304', detail: 'not modified', status: 304, attempts: 1 });
      default:
        return assertNever(outcome);
    }
  }

  async #store(lease: Lease, page: FetchedPage): Promise<void> {
    const { queue, metrics } = this.#parts;
    const store = () => this.#end(lease, () => queue.store(lease, page));
    let result = await store();
    if (result === 'outbox_full') result = await this.#whenThereIsRoom(store);
    if (result === 'stored') return metrics.fetched(lease.host, page.body.byteLength);
    return result === 'lost' ? this.#tooLate(lease) : this.#giveBack(lease);
  }

  /** Still `outbox_full` when the service ends before. */
  async #whenThereIsRoom(store: () => Promise<StoreResult>): Promise<StoreResult> {
    const { clock, ending, onOutboxFull, onRoom } = this.#parts;
    onOutboxFull();
    try {
      for (;;) {
        await clock.sleep(FULL_MS, ending);
        const result = await store();
        if (result !== 'outbox_full') return result;
      }
    } catch (error) {
      if (!ending.aborted) throw error;
      return 'outbox_full';
    } finally {
      onRoom();
    }
  }

  async #bury(
    lease: Lease,
    { detail, ...burial }: { reason: string; detail: string; status: number | undefined; attempts: number },
  ): Promise<void> {
    const { queue, metrics, log } = this.#parts;
    if (
      !(await this.#inTime(
        lease,
        this.#end(lease, () => queue.bury(lease, burial)),
      ))
    )
      return;
    log.event('failed', { url: lease.url, ...burial, detail });
    metrics.failed(lease.host);
  }

  async #giveBack(lease: Lease): Promise<void> {
    await this.#end(lease, () => this.#parts.queue.giveBack(lease));
  }

  #end<T>(lease: Lease, end: () => Promise<T>): Promise<T> {
    this.#parts.keeper.ends(lease);
    return this.#parts.persist(end);
  }

  async #inTime(lease: Lease, ended: Promise<boolean>): Promise<boolean> {
    if (await ended) return true;
    this.#tooLate(lease);
    return false;
  }

  #tooLate({ url }: Lease): void {
    this.#parts.log.event('late_result', { url, reason: 'its lease had ended, and another worker has the URL' });
    this.#parts.metrics.late();
  }
}

const GET = {
  method: 'GET',
  headers: {},
  cookies: {},
  body: undefined,
  session: 'fetcher',
  saves: 'page',
  via: 'http',
  waitFor: undefined,
} as const;

/** By which dead letters can be requeued. */
function reasonOf({ failure, status }: Extract<Outcome, { kind: 'url_specific' }>): string {
  if (failure !== undefined) return failure;
  if (status === undefined) return 'cannot_be_fetched';
  return status >= 300 && status <= 399 ? 'bad_redirect' : `http_${status}`;
}

function pageOf(url: string, response: FetchedExchange): FetchedPage {
  const { status, responseHeaders, body, at, durationMs } = response;
  return fetchedPage({
    url,
    status,
    contentType: headerValue(responseHeaders, 'content-type'),
    body: body.kind === 'memory' ? body.decoded : new Uint8Array(),
    fetchedAt: Math.round(at + durationMs),
  });
}
