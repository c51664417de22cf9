// The page fetcher: takes URLs under a lease, fetches them politely, stores page and event in one step, and takes events to the
// log. Whatever is away (Redis, Kafka, a host) is waited for and told of. When it stops, what it holds is finished or given
// back; when it is killed, its leases end by themselves.

import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { type HostState, joinedState } from '../fetch/host-state.ts';
import type { BreakerState, ProbeResult } from '../fetch/politeness/breaker-state.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import { Soon } from '../fetch/soon.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { Alarm } from './alarm.ts';
import type { Dependency } from './dependency.ts';
import { watchDependency } from './dependency-watch.ts';
import type { EventLog } from './event-log.ts';
import type { FetcherBackend } from './fetcher-backend.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import type { FetcherMetrics } from './fetcher-metrics.ts';
import { fetcherPipeline } from './fetcher-pipeline.ts';
import { HostBoard } from './host-board.ts';
import { HostLabels } from './host-labels.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { OutboxPump } from './outbox-pump.ts';
import { pauseReason } from './pause-decision.ts';
import { UrlWorker } from './url-worker.ts';
import { type PolitenessWatcher, WatchedPoliteness } from './watched-politeness.ts';
import type { Lease } from './work-queue.ts';

const SHORTEST_IDLE_MS = 25;
const HOUSEKEEPING_MS = 500;
const CHECK_BACKEND_MS = 1_000;
const CHECK_LOG_MS = 5_000;
/** One check in so many tries everything. */
const THOROUGH_EVERY = 10;
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
  /** The states of the two, as they are told of. */
  readonly backendState: Dependency;
  readonly eventLogState: Dependency;
  /** Rejects with the reason when the event log cannot be written. Asked apart from `eventLog`. */
  readonly checkLog: () => Promise<void>;
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
  readonly #keeper: LeaseKeeper;
  /** Why nothing is leased, if so. */
  #pause: string | undefined;
  /** Pages that were fetched and wait for room in the outbox. */
  #refusedPages = 0;
  /** Whether the last attempt to publish has failed. */
  #isPublishingStuck = false;
  /** What could not be remembered yet, by host. */
  readonly #untold = new Map<string, HostState>();

  constructor(parts: FetcherServiceParts) {
    const { config, clock, random, politeness, backend, metrics, log } = parts;
    this.#parts = parts;
    this.#alarm = new Alarm(clock);
    this.#labels = new HostLabels(backend.labelledHosts, metrics, clock);
    const watched = new WatchedPoliteness(politeness, this);
    this.#pipeline = fetcherPipeline(config, { clock, random, shared: watched });
    const { concurrency, hostConcurrency } = config;
    this.#board = new HostBoard({ clock, concurrency, hostConcurrency, paceOf: (host) => watched.paceOf(host) });
    this.#keeper = new LeaseKeeper(backend.queue, config.leaseMs);
    this.#worker = new UrlWorker({
      pipeline: this.#pipeline,
      keeper: this.#keeper,
      queue: backend.queue,
      config,
      clock,
      random,
      metrics,
      log,
      persist: (operation) => this.#persist(operation),
      ending: this.#ending.signal,
      onOutboxFull: () => {
        this.#refusedPages++;
        void this.#look();
      },
      onRoom: () => this.#refusedPages--,
      rest: (host, delayMs, signal) => this.#rest(host, delayMs, signal),
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
    const loops = [this.#beat(over.signal), this.#keepHouse(over.signal), ...this.#watch(over.signal)];
    if (this.#parts.remember !== undefined) {
      this.#pipeline.watch(new Soon(clock, over.signal, async () => this.#drain()).ask);
    }
    const pumping = this.#pump().run(pumpStop.signal, this.#end.signal);
    await this.#labels.load();
    // What waits to be published goes first: nothing is leased before it is known how much that is.
    await this.#look();
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

  /** Why it takes no URLs although it could reach everything; undefined when it does. */
  get pauseReason(): string | undefined {
    return this.#pause;
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
      if (this.#pause !== undefined || !this.#board.hasRoom) {
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
    const { backend, config, worker, metrics, log, backendState } = this.#parts;
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
      backendState.failed(error);
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
        this.#keeper.forget(lease);
        this.#board.ended(lease.host);
        this.#alarm.ring();
      });
    const job: Job = { lease, stop, abort, done };
    this.#jobs.add(job);
  }

  async #rest(host: string, delayMs: number, signal: AbortSignal): Promise<void> {
    this.#board.rests(host);
    this.#alarm.ring();
    // Whoever is told to end does so with a place.
    await this.#parts.clock.sleep(delayMs, signal).catch(() => {});
    await this.#board.wakes(host, signal);
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
    const { config, clock, backendState, log } = this.#parts;
    while (await slept(clock, config.leaseMs / 3, over)) {
      try {
        const lost = new Set(await this.#keeper.extend([...this.#jobs].map(({ lease }) => lease)));
        for (const { lease, abort } of this.#jobs) {
          if (!lost.has(lease) || abort.signal.aborted) continue;
          log.event('lease_lost', { url: lease.url });
          abort.abort(new Error('the lease is lost'));
        }
      } catch (error) {
        backendState.failed(error);
      }
    }
  }

  async #keepHouse(over: AbortSignal): Promise<void> {
    while (await slept(this.#parts.clock, HOUSEKEEPING_MS, over)) {
      this.#drain();
      await this.#look();
    }
  }

  /** Whether there is room for what would be fetched. */
  async #look(): Promise<void> {
    const { backend, backendState } = this.#parts;
    try {
      const level = await backend.outbox.level();
      const facts = { level, isPaused: this.#pause !== undefined, refusedPages: this.#refusedPages };
      this.#setPause(pauseReason(facts));
    } catch (error) {
      backendState.failed(error);
    }
  }

  #setPause(reason: string | undefined): void {
    const changed = (reason === undefined) !== (this.#pause === undefined);
    this.#pause = reason;
    if (!changed) return;
    const { metrics, log } = this.#parts;
    metrics.paused(reason !== undefined);
    log.event(reason === undefined ? 'resumed' : 'paused', { reason: reason ?? 'there is room for pages again' });
    this.#alarm.ring();
  }

  #watch(over: AbortSignal): readonly Promise<void>[] {
    const { backend, backendState, eventLogState, checkLog, clock } = this.#parts;
    let checks = 0;
    const checkBackend = async () => {
      const isThorough = backendState.reason !== undefined || checks++ % THOROUGH_EVERY === 0;
      await backend.check(isThorough ? 'thorough' : 'quick');
      return true;
    };
    const checkEventLog = async () => {
      await checkLog();
      return !this.#isPublishingStuck;
    };
    return [
      watchDependency({ state: backendState, clock, everyMs: CHECK_BACKEND_MS, check: checkBackend }, over),
      watchDependency({ state: eventLogState, clock, everyMs: CHECK_LOG_MS, check: checkEventLog }, over),
    ];
  }

  /** What the pipeline learnt. */
  #drain(): void {
    const unsaved = this.#pipeline.takeUnsaved();
    for (const [host, state] of unsaved.hosts) this.#untold.set(host, joinedState(this.#untold.get(host), state));
    try {
      this.#parts.remember?.({ ...unsaved, hosts: this.#untold });
      this.#untold.clear();
    } catch (error) {
      this.#parts.backendState.failed(error);
    }
    for (const { kind, ...event } of unsaved.events) {
      if (kind === 'robots_unreachable' || kind === 'retry_after') this.#parts.log.event(kind, event);
    }
  }

  #pump(): OutboxPump {
    const { backend, eventLog, clock, config, worker, metrics, log, backendState, eventLogState } = this.#parts;
    return new OutboxPump({
      outbox: backend.outbox,
      log: eventLog,
      clock,
      name: worker,
      leaseMs: Math.min(LONGEST_PUMP_LEASE_MS, config.leaseMs),
      cacheTtlMs: config.cacheTtlMs,
      onSettled({ published, refused }) {
        eventLogState.works();
        metrics.published(published);
        metrics.buried(refused);
      },
      onRefused: ({ url, reason, status }) => log.event(reason, { url, status }),
      onTurn: () => {
        this.#isPublishingStuck = false;
      },
      onTrouble: (part, error) => {
        if (part === 'outbox') return backendState.failed(error);
        this.#isPublishingStuck = true;
        eventLogState.failed(error);
      },
    });
  }

  async #persist<T>(operation: () => Promise<T>): Promise<T> {
    const { clock, backendState } = this.#parts;
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (this.#end.signal.aborted) throw error;
        backendState.failed(error);
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
