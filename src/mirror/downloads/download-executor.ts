// Fetches files beside each other: so many at once, so many waiting. When more would wait, the caller does: work is never
// dropped, and never more at once than allowed.

export interface ExecutorOptions {
  /** At least 1. */
  readonly maxParallel: number;
  readonly maxPending: number;
  /** More were handed in than may wait. */
  readonly onOverflow: (pending: number) => void;
}

interface Job {
  readonly work: () => Promise<void>;
  readonly done: PromiseWithResolvers<void>;
}

export class DownloadExecutor {
  readonly #options: ExecutorOptions;
  readonly #waiting: Job[] = [];
  #inFlight = 0;
  #peak = 0;
  #overflows = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  get telemetry(): { readonly peakInFlight: number; readonly maxParallel: number; readonly overflows: number } {
    return { peakInFlight: this.#peak, maxParallel: this.#options.maxParallel, overflows: this.#overflows };
  }

  /**
   * Takes work over. Resolves at once when it can run or wait; when too much waits already, when this work is done.
   * `work` must not reject: what can go wrong with it is its own matter.
   */
  async submit(work: () => Promise<void>): Promise<void> {
    const job: Job = { work, done: Promise.withResolvers() };
    const { maxParallel, maxPending, onOverflow } = this.#options;
    const isInline = maxParallel <= 1;
    const overflows = !isInline && this.#inFlight >= maxParallel && this.#waiting.length >= maxPending;
    if (overflows) {
      this.#overflows++;
      onOverflow(this.#waiting.length);
      this.#waiting.unshift(job);
    } else this.#waiting.push(job);
    this.#next();
    if (isInline || overflows) await job.done.promise;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0 && this.#waiting.length === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #next(): void {
    while (this.#inFlight < this.#options.maxParallel) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#inFlight++;
      this.#peak = Math.max(this.#peak, this.#inFlight);
      void job.work().then(
        () => this.#ended(job),
        () => this.#ended(job),
      );
    }
  }

  #ended({ done }: Job): void {
    this.#inFlight--;
    done.resolve();
    this.#next();
    if (this.#inFlight > 0 || this.#waiting.length > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
