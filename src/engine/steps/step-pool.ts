// Threads that read answers, begun when they are needed. One that is at an answer for long gives up what waits behind it;
// one that is at it for too long is ended, and its page failed. A page that takes long keeps no other from being read.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { MOST_IN_BATCH } from './step-batch.ts';
import { type Ended, endedReading, type StepLimits } from './step-limits.ts';
import type { StepSource } from './step-source.ts';
import { StepThread } from './step-thread.ts';
import { sizeOf, type Unread } from './unread.ts';

export interface StepPoolOptions {
  readonly scraper: string;
  readonly source: StepSource;
  readonly inheriting: readonly string[];
  readonly limits: StepLimits;
  readonly threads: number;
  /** Called while all threads are held up: by what, and what waits for them. */
  readonly onHeldUp: (by: readonly Unread[], waiting: readonly Unread[]) => void;
  readonly onFailed: (error: unknown) => void;
  /** Called with what a step left behind and failed later. */
  readonly onLeft: (what: string) => void;
}

/** How often threads are looked at. Counted, and not measured: a process that was stopped for a while is no slow step. */
const LOOK_MS = 50;
/** A thread that is at one answer for so many looks is slow: others take over what waits behind it. */
const SLOW_LOOKS = 1;
/** After so many another thread stands in for it. It takes a while to start one. */
const STUCK_LOOKS = 10;
/** So many threads more than usual may stand in for slow ones. */
const MOST_STAND_INS = 4;
/** So many threads in a row may end without being at a page. */
const MOST_ENDED_IDLE = 3;
const MOST_BATCH_BYTES = 1024 * 1024;
const MOST_THREADS = 8;

export class StepPool {
  readonly #options: StepPoolOptions;
  readonly #usual: number;
  readonly #threads = new Set<StepThread>();
  readonly #waiting: Unread[] = [];
  #timer: NodeJS.Timeout | undefined;
  #givesSoon = false;
  #closed = false;
  /** How many threads in a row have ended without being at a page, and none has read any since. */
  #endedIdle = 0;

  constructor(options: StepPoolOptions) {
    this.#options = options;
    this.#usual = Math.min(options.threads, MOST_THREADS);
  }

  /** Has threads started, if they are not. */
  start(): void {
    while (this.#threads.size < this.#usual && !this.#closed) this.#begin();
  }

  /** Whether a thread will see to an answer soon. */
  get isAtHand(): boolean {
    return [...this.#threads].some((thread) => thread.isReady && thread.looksAtOne < SLOW_LOOKS);
  }

  /** Calls `done` when it is read, or its reading was ended. */
  read(unread: Unread): void {
    this.#waiting.push(unread);
    if (this.#givesSoon) return;
    this.#givesSoon = true;
    // After this turn, so that what comes together is sent together.
    setImmediate(() => {
      this.#givesSoon = false;
      this.#give();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#threads].map((thread) => thread.end(undefined)));
  }

  #give(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const thread = this.#freeThread();
      if (thread === undefined) break;
      thread.give(this.#nextBatch());
    }
    const isBusy = [...this.#threads].some(({ isFree }) => !isFree);
    if (isBusy) this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #freeThread(): StepThread | undefined {
    const threads = [...this.#threads];
    const free = threads.find(({ isFree }) => isFree);
    if (free !== undefined) return free;
    const stuck = threads.filter(({ looksAtOne }) => looksAtOne >= STUCK_LOOKS).length;
    if (threads.length >= this.#usual + Math.min(stuck, MOST_STAND_INS)) return undefined;
    return this.#begin();
  }

  #begin(): StepThread {
    const thread = new StepThread({
      ...this.#options,
      onFree: (freed) => this.#freed(freed),
      onEnded: (ended, why, at, rest) => this.#ended(ended, why, at, rest),
    });
    this.#threads.add(thread);
    return thread;
  }

  /** A fair share, so that every thread gets some. */
  #nextBatch(): Unread[] {
    const share = Math.min(MOST_IN_BATCH, Math.ceil(this.#waiting.length / this.#usual));
    let bytes = 0;
    let count = 0;
    while (count < share && bytes < MOST_BATCH_BYTES) bytes += sizeOf((this.#waiting[count++] as Unread).job);
    return this.#waiting.splice(0, count);
  }

  #freed(thread: StepThread): void {
    this.#endedIdle = 0;
    if (this.#threads.size > this.#usual && this.#waiting.length === 0) {
      this.#threads.delete(thread);
      void thread.end(undefined);
    }
    this.#give();
  }

  #look(): void {
    const { timeoutMs } = this.#options.limits;
    for (const thread of this.#threads) {
      thread.look();
      if (thread.looksAtOne >= SLOW_LOOKS) this.#waiting.unshift(...thread.takeBack());
      if (thread.looksAtOne * LOOK_MS >= timeoutMs) void thread.end('timeout');
    }
    this.#give();
    if (this.#waiting.length > 0 && !this.isAtHand) {
      const by = [...this.#threads].flatMap(({ at }) => at ?? []);
      this.#options.onHeldUp(by, this.#waiting.splice(0));
    }
  }

  #ended(thread: StepThread, why: Ended | Error, at: Unread | undefined, rest: readonly Unread[]): void {
    this.#threads.delete(thread);
    if (this.#closed) return;
    this.#waiting.unshift(...rest);
    // What a step left behind, such as a promise that is rejected later, may end a thread between two pages.
    this.#endedIdle = at === undefined ? this.#endedIdle + 1 : 0;
    if (at === undefined && (!thread.isReady || this.#endedIdle > MOST_ENDED_IDLE)) {
      this.#options.onFailed(cannotRead(why));
      return;
    }
    at?.done(endedReading(this.#options.scraper, at.job, why instanceof Error ? 'exit' : why, this.#options.limits));
    this.#give();
  }
}

/** A thread could not start, or one after the other ended without being at a page: others would end the same way. */
function cannotRead(why: Ended | Error): CurlewError {
  const said = why instanceof Error ? why.message : `it ended by itself (${why})`;
  const remedy = why instanceof Error && 'remedy' in why && typeof why.remedy === 'string' ? why.remedy : undefined;
  return new CurlewError(ErrorCode.scraperFile, `The scraper cannot be run in a thread of its own: ${said}`, {
    remedy: remedy ?? 'Correct the scraper, then continue with curlew resume latest.',
    cause: why,
  });
}
