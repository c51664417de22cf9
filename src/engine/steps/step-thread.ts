// One thread that reads answers, seen from here: what it has in hand, how long it has been at it, and how it ended.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemCodeOf } from '../../platform/errors.ts';
import { hasBegun, packJobs, READY, type Readings, type Told, takeBack, unpackReadings } from './step-batch.ts';
import type { Ended, StepLimits } from './step-limits.ts';
import type { StepSource } from './step-source.ts';
import type { StepWorkerData } from './step-worker.ts';
import type { Unread } from './unread.ts';

export interface StepThreadOptions {
  readonly source: StepSource;
  readonly inheriting: readonly string[];
  readonly limits: StepLimits;
  /** Called with what a step left behind and failed later. */
  readonly onLeft: (what: string) => void;
  /** Called when nothing is left in hand. */
  readonly onFree: (thread: StepThread) => void;
  /** Called once, with what it was at, and what it had not begun with. `why` is an error when it could not even start. */
  readonly onEnded: (thread: StepThread, why: Ended | Error, at: Unread | undefined, rest: readonly Unread[]) => void;
}

// Sources are .ts, the compiled package .js.
const CODE = new URL(`./step-worker${extname(import.meta.filename)}`, import.meta.url);
/** In place of an index. */
const NOT_BEGUN = -1;
/** What is made of a page dies with it: a large part of the heap for newborn objects would only take room. */
const YOUNG_MB = 16;

export class StepThread {
  /** Whether it has the scraper. */
  isReady = false;
  readonly #worker: Worker;
  readonly #options: StepThreadOptions;
  /** By their place in the batch; those that are read or taken back are gone from it. */
  readonly #inHand = new Map<number, Unread>();
  #batch = 0;
  #states: Int32Array = new Int32Array();
  #ended = false;
  #at: number | undefined;
  #looksAtIt = 0;

  constructor(options: StepThreadOptions) {
    this.#options = options;
    const { source, inheriting, limits } = options;
    this.#worker = new Worker(CODE, {
      workerData: { source, inheriting } satisfies StepWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on('message', (told: Told) => {
      if (told === READY) this.isReady = true;
      else if ('left' in told) options.onLeft(told.left);
      // Of a batch that was taken back meanwhile it tells in vain.
      else if (told.batch === this.#batch) this.#hear(unpackReadings(told.text));
    });
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end('exit'));
  }

  /** What it is at. */
  get at(): Unread | undefined {
    const at = this.#begun();
    return at === undefined ? undefined : this.#inHand.get(at);
  }

  get isFree(): boolean {
    return this.#inHand.size === 0;
  }

  /** How often `look` has found it at one and the same answer. */
  get looksAtOne(): number {
    return this.#looksAtIt;
  }

  /** Only when it is free, and at most `MOST_IN_BATCH`. */
  give(answers: readonly Unread[]): void {
    for (const [index, unread] of answers.entries()) this.#inHand.set(index, unread);
    this.#batch += 1;
    const batch = packJobs(
      this.#batch,
      answers.map(({ job }) => job),
    );
    this.#states = batch.states;
    this.#worker.postMessage(batch, [batch.bodies.buffer]);
  }

  /** To be called at regular intervals. */
  look(): void {
    // What was left behind may keep it from beginning with what it has.
    const at = this.#begun() ?? (this.isReady && !this.isFree ? NOT_BEGUN : undefined);
    this.#looksAtIt = at !== undefined && at === this.#at ? this.#looksAtIt + 1 : 0;
    this.#at = at;
  }

  /**
   * All but the one it is at. What it has not begun with it then never will; of what it has read but not told of, it tells
   * in vain.
   */
  takeBack(): Unread[] {
    const at = this.#begun();
    const taken: Unread[] = [];
    for (const [index, unread] of this.#inHand) {
      // It may have gone on from where it was.
      if (index === at || (!takeBack(this.#states, index) && index > (at ?? -1))) continue;
      this.#inHand.delete(index);
      taken.push(unread);
    }
    return taken;
  }

  /** Ends it, whatever it is at. `why` undefined: nobody wants to know. */
  end(why: Ended | undefined): Promise<unknown> {
    if (why === undefined) this.#ended = true;
    else this.#end(why);
    return this.#worker.terminate();
  }

  #hear(readings: Readings): void {
    if (this.#ended) return;
    this.#at = undefined;
    this.#looksAtIt = 0;
    for (const [index, reading] of readings) {
      const unread = this.#inHand.get(index);
      this.#inHand.delete(index);
      unread?.done(reading);
    }
    if (this.isFree) this.#options.onFree(this);
  }

  #end(why: Ended | Error): void {
    if (this.#ended) return;
    const unread = this.at;
    this.#ended = true;
    const rest = [...this.#inHand.values()].filter((one) => one !== unread);
    const reason = why instanceof Error && systemCodeOf(why) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : why;
    this.#options.onEnded(this, reason, unread, rest);
  }

  /** Where it is: the last that it has begun with and not told of. Those before may be read, but it can no longer say so. */
  #begun(): number | undefined {
    return [...this.#inHand.keys()].findLast((index) => hasBegun(this.#states, index));
  }
}
