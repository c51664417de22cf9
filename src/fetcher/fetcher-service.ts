// The page fetcher: takes URLs under a lease, fetches them politely, stores page and event in one step, and takes events to the
// log. Whatever is away (Redis, Kafka, a host) is waited for and told of. When it stops, what it holds is finished or given
// back; when it is killed, its leases end by themselves.

import { createPipeline } from '../fetch/create-pipeline.ts';
import { NO_MEMORY, type Unsaved } from '../fetch/fetch-memory.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { type HostState, joinedState } from '../fetch/host-state.ts';
import type { BreakerState, ProbeResult } from '../fetch/politeness/breaker-state.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import { Soon } from '../fetch/soon.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { Alarm } from './alarm.ts';
import type { EventLog } from './event-log.ts';
import type { FetcherBackend } from './fetcher-backend.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import type { FetcherMetrics } from './fetcher-metrics.ts';
import { HostBoard } from './host-board.ts';
import { HostLabels } from './host-labels.ts';
import type { Outage } from './outage.ts';
import { OutboxPump } from './outbox-pump.ts';
import { UrlWorker } from './url-worker.ts';
import { type PolitenessWatcher, WatchedPoliteness } from './watched-politeness.ts';
import type { Lease } from './work-queue.ts';

const SHORTEST_IDLE_MS = 25;
const HOUSEKEEPING_MS = 500;
const TROUBLE_MS = 500;
const LONGEST_PUMP_LEASE_MS = 15_000;
/** What is under way when it stops has this long to finish; then it is cut off and given back. */
const FINISH_MS = 11_000;
/** And after this long everything ends, whatever is away. */
const END_MS = 14_000;

export interface FetcherServiceParts {
  readonly config: FetcherConfig;
  readonly backend: FetcherBackend;
  readonly politeness: SharedPoliteness;
  readonly eventLog: EventLog;
  readonly metrics: FetcherMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** Unique among all workers that ever were. */
  readonly worker: string;
  /** Told of troubles with the backend. */
  readonly backendOutage: Outage;
  readonly eventLogOutage: Outage;
  /** Keeps what should outlive the process, where nobody else does. */
  readonly remember?: (unsaved: Unsaved) => void;
}

interface Job {
  readonly lease: Lease;
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class FetcherService implements PolitenessWatcher {
  readonly #parts: FetcherServiceParts;
  readonly #pipeline: FetchPipeline;
  readonly #board: HostBoard;
  readonly #worker: UrlWorker;
  readonly #alarm: Alarm;
  readonly #labels: HostLabels;
  readonly #jobs = new Set<Job>();
  readonly #ending = new AbortController();
  readonly #end = new AbortController();
  #isPaused = false;
  /** What could not be remembered yet, by host. */
  readonly #untold = new Map<string, HostState>();

  constructor(parts: FetcherServiceParts) {
    const { config, clock, random, politeness, backend, metrics, log } = parts;
    this.#parts = parts;
    this.#alarm = new Alarm(clock);
    this.#labels = new HostLabels(backend.labelledHosts, metrics, clock);
    const watched = new WatchedPoliteness(politeness, this);
    this.#pipeline = createPipeline(
      {
        rate: config.ratePerSecond,
        robots: config.robots,
        robotsMaxAgeMs: config.robotsTxtCacheTtlMs,
        allowHosts: config.allowHosts,
        userAgent: config.userAgent,
        maxPageBytes: config.maxPageBytes,
        maxFileBytes: config.maxPageBytes,
        totalTimeoutMs: config.requestTimeoutMs,
      },
      {
        files: NO_FILES,
        memory: NO_MEMORY,
        clock,
        random,
        shared: watched,
        breaker: {
          failureThreshold: config.breakerFailureThreshold,
          initialDelayMs: config.breakerInitialBackoffMs,
          maxDelayMs: config.breakerMaxBackoffMs,
          multiplier: config.breakerBackoffMultiplier,
        },
      },
    );
    const { concurrency, hostConcurrency } = config;
    this.#board = new HostBoard({ clock, concurrency, hostConcurrency, paceOf: (host) => watched.paceOf(host) });
    this.#worker = new UrlWorker({
      pipeline: this.#pipeline,
      queue: backend.queue,
      config,
      clock,
      random,
      metrics,
      log,
      persist: (operation) => this.#persist(operation),
      ending: this.#ending.signal,
      onOutboxFull: () => this.#setPaused(true, config.outboxLimit),
      onAnswered: (host, durationMs) => this.#board.answered(host, durationMs),
      onHeld: (host) => this.#leave(host),
    });
  }

  /**
   * Works until `stop` aborts. Resolves when everything is finished or given back: at most 14 s later, and as long as a last
   * question to a backend that is away may take. Once only.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const over = new AbortController();
    const pumpStop = new AbortController();
    stop.addEventListener('abort', () => this.#alarm.ring(), { once: true });
    const loops = [this.#beat(over.signal), this.#keepHouse(over.signal)];
    if (this.#parts.remember !== undefined) {
      this.#pipeline.watch(new Soon(clock, over.signal, async () => this.#drain()).ask);
    }
    const pumping = this.#pump().run(pumpStop.signal, this.#end.signal);
    await this.#labels.load();
    await this.#dispatch(stop);

    this.#ending.abort(new Error('the fetcher stops'));
    for (const { stop: stopJob } of this.#jobs) stopJob.abort(this.#ending.signal.reason);
    const timers = [
      clock.sleep(FINISH_MS, over.signal).then(() => this.#cutOff()),
      clock.sleep(END_MS, over.signal).then(() => this.#end.abort(new Error('the time to stop is over'))),
    ];
    await Promise.all([...this.#jobs].map(({ done }) => done));
    pumpStop.abort();
    await pumping;
    over.abort();
    await Promise.allSettled([...timers, ...loops]);
    this.#drain();
  }

  /** After `run`. Twice is fine. */
  close(): Promise<void> {
    return this.#pipeline.close();
  }

  breakerChanged(host: string, state: BreakerState): void {
    this.#board.breakerChanged(host, state);
    this.#parts.metrics.breakerIs(host, state);
    if (state.kind === 'open') this.#leave(host);
    this.#alarm.ring();
  }

  breakerDecided(host: string, from: BreakerState, to: BreakerState): void {
    const { metrics, log } = this.#parts;
    metrics.breakerDecided(host, from, to);
    if (to.kind === 'open') {
      const { failures, delayMs } = to;
      log.event('circuit_open', { host, failures, reason: 'it appears down', nextProbeSeconds: delayMs / 1_000 });
    }
    if (to.kind === 'closed' && from.kind !== 'closed') log.event('circuit_closed', { host });
  }

  probed(host: string, result: ProbeResult): void {
    this.#parts.metrics.probed(host, result);
  }

  async #dispatch(stop: AbortSignal): Promise<void> {
    const { config } = this.#parts;
    let idleMs = SHORTEST_IDLE_MS;
    while (!stop.aborted) {
      if (this.#isPaused || !this.#board.hasRoom) {
        await this.#alarm.wait(HOUSEKEEPING_MS);
        continue;
      }
      const lease = await this.#lease();
      if (lease !== undefined) {
        idleMs = SHORTEST_IDLE_MS;
        await this.#labels.appear(lease.host);
        this.#begin(lease);
        continue;
      }
      await this.#alarm.wait(Math.min(idleMs, this.#board.waitMs()));
      idleMs = Math.min(idleMs * 2, config.pollTimeoutMs);
    }
  }

  async #lease(): Promise<Lease | undefined> {
    const { backend, config, worker, metrics, log, backendOutage } = this.#parts;
    try {
      return await backend.queue.lease({
        worker,
        leaseMs: config.leaseMs,
        except: this.#board.unwanted(),
        onMalformed(item, reason) {
          log.event('malformed', { item: item.slice(0, 200), reason });
          metrics.buried(1);
        },
      });
    } catch (error) {
      backendOutage.away(error);
      await this.#alarm.wait(TROUBLE_MS);
      return undefined;
    }
  }

  #begin(lease: Lease): void {
    const [stop, abort] = [new AbortController(), new AbortController()];
    this.#board.took(lease.host);
    const done = this.#worker
      .work(lease, { stop: stop.signal, abort: abort.signal })
      // The backend could not be told in time: the lease ends by itself.
      .catch((error) => this.#parts.log.event('not_told', { url: lease.url, reason: messageOf(error) }))
      .finally(() => {
        this.#jobs.delete(job);
        this.#board.ended(lease.host);
        this.#alarm.ring();
      });
    const job: Job = { lease, stop, abort, done };
    this.#jobs.add(job);
  }

  /** What has not left for the host goes back to the queue. */
  #leave(host: string): void {
    for (const { lease, stop } of this.#jobs) if (lease.host === host) stop.abort(new Error(`${host} is left alone`));
  }

  #cutOff(): void {
    for (const { abort } of this.#jobs) abort.abort(new Error('the time to finish is over'));
  }

  /** Keeps the leases, and gives up what is no longer ours. */
  async #beat(over: AbortSignal): Promise<void> {
    const { backend, config, clock, backendOutage, log } = this.#parts;
    while (await slept(clock, config.leaseMs / 3, over)) {
      try {
        const lost = new Set(
          await backend.queue.extend(
            [...this.#jobs].map(({ lease }) => lease),
            config.leaseMs,
          ),
        );
        for (const { lease, abort } of this.#jobs) {
          if (!lost.has(lease) || abort.signal.aborted) continue;
          log.event('lease_lost', { url: lease.url });
          abort.abort(new Error('the lease is lost'));
        }
      } catch (error) {
        backendOutage.away(error);
      }
    }
  }

  async #keepHouse(over: AbortSignal): Promise<void> {
    const { backend, clock, config, backendOutage } = this.#parts;
    while (await slept(clock, HOUSEKEEPING_MS, over)) {
      this.#drain();
      try {
        const size = await backend.outbox.size();
        backendOutage.back();
        // Not at once, or it would stutter around the limit.
        this.#setPaused(size >= (this.#isPaused ? config.outboxLimit * 0.9 : config.outboxLimit), size);
      } catch (error) {
        backendOutage.away(error);
      }
    }
  }

  #setPaused(isPaused: boolean, size: number): void {
    if (isPaused === this.#isPaused) return;
    const { metrics, log, config } = this.#parts;
    this.#isPaused = isPaused;
    metrics.paused(isPaused);
    const reason = `${size} events wait to be published, of ${config.outboxLimit} that may`;
    log.event(isPaused ? 'paused' : 'resumed', { reason });
    this.#alarm.ring();
  }

  /** What the pipeline learnt. */
  #drain(): void {
    const unsaved = this.#pipeline.takeUnsaved();
    for (const [host, state] of unsaved.hosts) this.#untold.set(host, joinedState(this.#untold.get(host), state));
    try {
      this.#parts.remember?.({ ...unsaved, hosts: this.#untold });
      this.#untold.clear();
    } catch (error) {
      this.#parts.backendOutage.away(error);
    }
    for (const { kind, ...event } of unsaved.events) {
      if (kind === 'robots_unreachable' || kind === 'retry_after') this.#parts.log.event(kind, event);
    }
  }

  #pump(): OutboxPump {
    const { backend, eventLog, clock, config, worker, metrics, log, eventLogOutage } = this.#parts;
    return new OutboxPump({
      outbox: backend.outbox,
      log: eventLog,
      clock,
      name: worker,
      leaseMs: Math.min(LONGEST_PUMP_LEASE_MS, config.leaseMs),
      cacheTtlMs: config.cacheTtlMs,
      onSettled({ published, refused }) {
        eventLogOutage.back();
        metrics.published(published);
        metrics.buried(refused);
      },
      onRefused: ({ url, reason, status }) => log.event(reason, { url, status }),
      onTrouble: (error) => {
        // While the backend is away too, nobody can know about the log.
        if (!this.#parts.backendOutage.isAway) eventLogOutage.away(error);
      },
    });
  }

  async #persist<T>(operation: () => Promise<T>): Promise<T> {
    const { clock, backendOutage } = this.#parts;
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (this.#end.signal.aborted) throw error;
        backendOutage.away(error);
        await clock.sleep(TROUBLE_MS, this.#end.signal);
      }
    }
  }
}

/** False when the signal came first. */
async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

/** Nothing is downloaded to files here. */
const NO_FILES = {
  async begin(): Promise<never> {
    throw new CurlewError(ErrorCode.internal, 'The page fetcher has no place for files.');
  },
};
