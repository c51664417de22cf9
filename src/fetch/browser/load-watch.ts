// The one owner of a load's end from outside: the caller's signal, the deadline, a crash, trouble with its traffic.
// Whatever the load waits for, it waits through `until`, so that nothing a page does can hold it longer.

import type { Browser, Page } from 'playwright-core';
import type { Clock } from '../../platform/clock.ts';
import { onAbort } from '../../platform/on-abort.ts';
import { HopError } from '../http/failure-code.ts';
import { SLOWEST_DOWNLOAD_BYTES_PER_SECOND } from '../http/hop-options.ts';
import { BrowserError } from './browser-result.ts';
import type { PageTraffic } from './page-traffic.ts';

const SOON_MS = 5_000;

/** The caller's signal fired. */
export class LoadAborted extends Error {
  override readonly name: string = 'LoadAborted';
}

export interface LoadWatchOptions {
  readonly browser: Browser;
  readonly traffic: PageTraffic;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly totalMs: number;
  /** A load into a sink gets a second more for every 16 KiB received. */
  readonly downloads: boolean;
}

export class LoadWatch {
  readonly #options: LoadWatchOptions;
  readonly #over = Promise.withResolvers<never>();
  readonly #startedAt: number;
  #stopListening = () => {};
  readonly #onCrash = () => this.#over.reject(crashed());
  #timer: NodeJS.Timeout;

  constructor(options: LoadWatchOptions) {
    this.#options = options;
    const { browser, traffic, signal, clock, totalMs } = options;
    this.#over.promise.catch(() => {});
    this.#startedAt = clock.monotonic();
    this.#timer = setTimeout(this.#onTimer, totalMs);
    browser.on('disconnected', this.#onCrash);
    traffic.trouble.catch(this.#over.reject);
    const giveUp = () => this.#over.reject(new LoadAborted('aborted'));
    if (signal.aborted) giveUp();
    else this.#stopListening = onAbort(signal, giveUp);
  }

  /** Ends the load when this page's own process dies. */
  observe(page: Page): void {
    page.on('crash', this.#onCrash);
  }

  /** Waits for `work`, at most until the load is over. */
  until<T>(work: Promise<T>): Promise<T> {
    // What is left behind fails when its page is closed, and nobody minds.
    work.catch(() => {});
    return Promise.race([work, this.#over.promise]);
  }

  /** Waits for `work` that should be done any moment; undefined when it is not. */
  async soon<T>(work: Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), SOON_MS);
    try {
      return await this.until(Promise.race([work, promise]));
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    const { browser } = this.#options;
    clearTimeout(this.#timer);
    browser.off('disconnected', this.#onCrash);
    this.#stopListening();
  }

  readonly #onTimer = (): void => {
    const { traffic, clock, totalMs, downloads } = this.#options;
    const earnedMs = downloads ? (traffic.receivedBytes / SLOWEST_DOWNLOAD_BYTES_PER_SECOND) * 1000 : 0;
    const leftMs = totalMs + earnedMs - (clock.monotonic() - this.#startedAt);
    if (leftMs > 1) this.#timer = setTimeout(this.#onTimer, leftMs);
    else this.#over.reject(new HopError('total_timeout', `the page was not complete after ${totalMs} ms`));
  };
}

export function crashed(): BrowserError {
  return new BrowserError('browser_crashed', 'Chromium died while it loaded the page');
}
