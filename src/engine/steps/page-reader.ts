// Has answers read by the author's code, and lets none of it hold up the run. Small pages are read here, several under one
// watch, for that costs less than to send them elsewhere. What is large, or turns out to be slow, goes to threads of its own,
// where a step can be ended; and all of it goes there once reading is what a run spends its time with.

import { availableParallelism } from 'node:os';
import { systemClock } from '../../platform/clock.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import { watchLeftBehind } from './left-behind.ts';
import { type Reading, read } from './reading.ts';
import { ReadingEffort } from './reading-effort.ts';
import { endedReading, type StepLimits } from './step-limits.ts';
import { StepPool } from './step-pool.ts';
import type { StepSource } from './step-source.ts';
import { doWithin } from './time-limit.ts';
import { sizeOf, type Unread } from './unread.ts';

export interface PageReaderOptions {
  readonly definition: ScraperDefinition;
  readonly inheriting: readonly string[];
  readonly limits: StepLimits;
  /** Where other threads get the scraper from. Undefined: nowhere, so that all is read here. */
  readonly source: StepSource | undefined;
  /** Called when a thread cannot go on, for a reason that is no page's. */
  readonly onFailed: (error: unknown) => void;
  /** Called with what a step left behind and failed later. */
  readonly onLeft: (what: string) => void;
}

/** How long pages are read here before others have their turn. */
const TURN_MS = 25;
/** A page that takes longer is moved to a thread, and begins anew there. */
const QUICK_MS = 50;
/** So often a page may be ended without having had the processor for long: then it waits for something else. */
const MOST_STARVED = 3;
/** To parse a larger page may take longer than that, and cannot be stopped everywhere. */
const SMALL_BYTES = 256 * 1024;

export class PageReader {
  readonly #options: PageReaderOptions;
  /** What is to be read here. */
  readonly #waiting: Unread[] = [];
  /** Steps that were too slow to be read here, by host and name. */
  readonly #slow = new Set<string>();
  #pool: StepPool | undefined;
  readonly #effort = new ReadingEffort();
  #readsOn = false;
  #closed = false;
  /** How often in a row the page that is next was ended on a machine that seemed busy. */
  #starved = 0;
  readonly #unwatch: () => void;

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#unwatch = watchLeftBehind(options.definition, options.onLeft);
  }

  /** Calls `done` of each when it is read, now or later. Once closed, it reads nothing any more. */
  read(answers: readonly Unread[]): void {
    if (this.#closed) return;
    if (this.#effort.isGreat) this.#threads()?.start();
    for (const unread of answers) this.#send(unread);
    this.#readOn();
  }

  /** Ends all threads. What is being read there or waits for it is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    await this.#pool?.close();
    this.#unwatch();
  }

  #send(unread: Unread): void {
    const isBetterHere = !this.#effort.isGreat || !this.#pool?.isAtHand;
    const isReadHere = this.#options.source === undefined || (isBetterHere && this.#isQuick(unread));
    if (isReadHere) this.#waiting.push(unread);
    else this.#threads()?.read(unread);
  }

  #isQuick(unread: Unread): boolean {
    return !unread.suspect && sizeOf(unread.job) <= SMALL_BYTES && !this.#slow.has(keyOf(unread));
  }

  /** Undefined when other threads cannot have the scraper. */
  #threads(): StepPool | undefined {
    const { source, definition, inheriting, limits, onFailed, onLeft } = this.#options;
    if (source === undefined) return undefined;
    this.#pool ??= new StepPool({
      scraper: definition.name,
      source,
      inheriting,
      limits,
      threads: availableParallelism(),
      onFailed,
      onLeft,
      onHeldUp: (by, waiting) => {
        for (const unread of by) this.#slow.add(keyOf(unread));
        for (const unread of waiting) this.#send(unread);
        this.#readOn();
      },
    });
    return this.#pool;
  }

  #readOn(): void {
    if (!this.#readsOn && this.#waiting.length > 0) this.#readHere();
  }

  #readHere(): void {
    const { definition, inheriting, source, limits } = this.#options;
    const begun = systemClock.monotonic();
    const until = begun + TURN_MS;
    const before = cpuMs();
    // Handed on outside of the watch, which may end what it watches anywhere: up to here all is read, the next one is not.
    const readings: Reading[] = [];
    let readMs = 0;
    const isDone = doWithin(TURN_MS + (source === undefined ? limits.timeoutMs : QUICK_MS), () => {
      const started = systemClock.monotonic();
      for (const { job } of this.#waiting) {
        readings.push(read(definition, inheriting, job));
        readMs = systemClock.monotonic() - started;
        if (systemClock.monotonic() >= until) return;
      }
    });
    this.#effort.add(begun, { pages: readings.length, readMs, watchMs: systemClock.monotonic() - begun - readMs });
    // On a busy machine time passes while others have the processor: that is not the page's fault.
    const isStarved = !isDone && source !== undefined && cpuMs() - before <= QUICK_MS / 2;
    this.#starved = isStarved ? (readings.length > 0 ? 1 : this.#starved + 1) : 0;
    const isSlow = !isDone && (!isStarved || this.#starved > MOST_STARVED);
    const answers = this.#waiting.splice(0, readings.length + (isSlow ? 1 : 0));
    for (const [index, unread] of answers.entries()) {
      const reading = readings[index];
      if (reading === undefined) this.#ended(unread);
      else unread.done(reading);
    }
    this.#readsOn = this.#waiting.length > 0;
    if (this.#readsOn) setImmediate(() => this.#readHere());
  }

  #ended(unread: Unread): void {
    const { source, definition, limits } = this.#options;
    if (source === undefined) {
      unread.done(endedReading(definition.name, unread.job, 'timeout', limits));
      return;
    }
    this.#slow.add(keyOf(unread));
    this.#threads()?.read(unread);
  }
}

function keyOf({ host, job }: Unread): string {
  return `${host} ${job.kind === 'answer' ? job.spec.step : job.probe.speculator}`;
}

/** Time that this thread had the processor. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
