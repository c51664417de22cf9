// Whether pages are better read in other threads. To send one there and hear what it came to takes some tenths of a
// millisecond, so that it is worth it only for pages that take longer, and for a run that is held up by them.

/** What a few pages took that were read on the run's own thread. */
export interface Effort {
  readonly pages: number;
  readonly readMs: number;
  /** What the watch over them cost: next to nothing, but on a busy machine it waits for the processor, twice. */
  readonly watchMs: number;
}

const WINDOW_MS = 1000;
/** Above this share of the time, and for pages of this kind, reading holds up a run. */
const MOST_READING = 0.3;
const WORTH_SENDING_MS = 0.7;
const MOST_WATCHING = 0.15;

export class ReadingEffort {
  /** Whether reading has held up the run in any stretch of time so far. */
  isGreat = false;
  #since = Number.NEGATIVE_INFINITY;
  #pages = 0;
  #readMs = 0;
  #watchMs = 0;

  /** `now`: when they were read. */
  add(now: number, { pages, readMs, watchMs }: Effort): void {
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#pages = this.#readMs = this.#watchMs = 0;
    }
    this.#pages += pages;
    this.#readMs += readMs;
    this.#watchMs += watchMs;
    const isMuchRead = this.#readMs > MOST_READING * WINDOW_MS && this.#readMs > WORTH_SENDING_MS * this.#pages;
    if (isMuchRead || this.#watchMs > MOST_WATCHING * WINDOW_MS) this.isGreat = true;
  }
}
