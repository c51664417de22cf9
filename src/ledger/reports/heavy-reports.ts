// Reports that take long in a run of a million requests. They are made in a thread of their own, so that nobody else waits,
// and kept: of a run that goes on the last one is given while a new one is made.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { HeavyAnswers, HeavyJob } from './heavy-job.ts';

/** Which state of a run a report is about: another stamp needs another report. */
export interface Stamp {
  readonly stamp: string;
  /** Whether the run goes on, so that a report of it grows old. */
  readonly isLive: boolean;
}

interface Kept {
  readonly answer: Promise<unknown>;
  /** What the run was like when it was asked for. */
  readonly stamp: string;
  /** On the monotonic clock. */
  readonly askedAt: number;
  /** The one before, to be given until this one is there. */
  readonly before: Promise<unknown> | undefined;
  done: boolean;
}

/** So long the report of a run that goes on is given again before a new one is made. */
const FRESH_MS = 5_000;
const MOST_KEPT = 32;

export class HeavyReports {
  readonly #data: string;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #number = 0;

  /** `data` is a data directory with a ledger. The thread begins with the first report. */
  constructor(data: string, clock: Clock) {
    this.#data = data;
    this.#clock = clock;
  }

  /** With `pinned` the report that is kept is given however old it is: for the next pages of a list. */
  ask<Kind extends HeavyJob['kind']>(
    job: Extract<HeavyJob, { readonly kind: Kind }>,
    { stamp, isLive }: Stamp,
    pinned = false,
  ): Promise<HeavyAnswers[Kind]> {
    const key = JSON.stringify(job);
    const kept = this.#kept.get(key);
    const isOld = kept !== undefined && isLive && this.#clock.monotonic() - kept.askedAt >= FRESH_MS;
    const isGood = kept !== undefined && (pinned || (kept.stamp === stamp && (!kept.done || !isOld)));
    const { answer, before, done } = isGood ? kept : this.#begin(key, job, stamp, kept);
    // The old one is better than waiting, unless the run is another than it was.
    return (done ? answer : (before ?? answer)) as Promise<HeavyAnswers[Kind]>;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #begin(key: string, job: HeavyJob, stamp: string, last: Kept | undefined): Kept {
    const answer = this.#send(job);
    const before = last?.stamp === stamp && last.done ? last.answer : undefined;
    const kept: Kept = { answer, stamp, askedAt: this.#clock.monotonic(), before, done: false };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    answer.then(
      () => (kept.done = true),
      () => this.#kept.delete(key),
    );
    return kept;
  }

  #send(job: HeavyJob): Promise<unknown> {
    const number = ++this.#number;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(number, waiting);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ number, job });
    return waiting.promise;
  }

  #start(): Worker {
    // Sources run sources, the package runs what was compiled.
    const entry = new URL(`./heavy-worker${extname(import.meta.filename)}`, import.meta.url);
    const worker = new Worker(entry, {
      workerData: this.#data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.unref();
    worker.on('message', ({ number, answer, error }) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (error === undefined) waiting?.resolve(answer);
      else waiting?.reject(new CurlewError(ErrorCode.internal, `A report could not be made: ${error}`));
    });
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('its thread ended')));
    return worker;
  }

  /** Those who wait are told; the next report begins a new thread. */
  #fail(cause: Error): void {
    this.#worker = undefined;
    const error = new CurlewError(ErrorCode.internal, `A report could not be made: ${cause.message}`, { cause });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
