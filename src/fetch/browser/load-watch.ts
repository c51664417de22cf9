// The one owner of a load's end from outside: the caller's signal, the deadline, a crash, trouble with its traffic.
// Whatever the load waits for, it waits through `until`, so that nothing a page does can hold it longer.

import type { Browser, Page } from 'playwright-core';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, messageOf } from '../../platform/errors.ts';
import { onAbort } from '../../platform/on-abort.ts';
import { HopError } from '../http/failure-code.ts';
import { SLOWEST_DOWNLOAD_BYTES_PER_SECOND } from '../http/hop-options.ts';
import { BrowserError } from './browser-result.ts';
import type { PageTraffic } from './page-traffic.ts';

const LOOK_MS = 100;

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
  #page: Page | undefined;
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

  /** Ends the load when this page's own process dies, or the page is closed. */
  observe(page: Page): void {
    this.#page = page;
    page.on('crash', this.#onCrash);
    page.on('close', this.#onCrash);
  }

  /** Waits for `work`, at most until the load is over. */
  until<T>(work: Promise<T>): Promise<T> {
    // What is left behind fails when its page is closed, and nobody minds.
    work.catch(() => {});
    return Promise.race([work, this.#over.promise]);
  }

  /** The same for what Chromium does: when it cannot, whatever the reason, that is a failure of this load. */
  chromium<T>(work: Promise<T>): Promise<T> {
    return this.until(work.catch((error: unknown) => this.#failed(error)));
  }

  /**
   * Waits for `work` that should be done within `ms`, in which no request waits at the gates; undefined when it is not. At most
   * the time of a whole load is added for that: some pages ask for something again and again.
   */
  async within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const waitedBefore = this.#options.traffic.waits.waitedMs;
    const begunAt = this.#options.clock.monotonic();
    const look = () => {
      const { clock, traffic, totalMs } = this.#options;
      const waitedMs = Math.min(traffic.waits.waitedMs - waitedBefore, totalMs);
      const leftMs = ms + waitedMs - (clock.monotonic() - begunAt);
      if (leftMs > 1) timer = setTimeout(look, this.#lookAgainMs(leftMs));
      else resolve(undefined);
    };
    let timer = setTimeout(look, ms);
    try {
      return await this.until(Promise.race([work, promise]));
    } finally {
      clearTimeout(timer);
    }
  }

  async pause(ms: number): Promise<void> {
    await this.until(this.#options.clock.sleep(ms));
  }

  stop(): void {
    const { browser } = this.#options;
    clearTimeout(this.#timer);
    browser.off('disconnected', this.#onCrash);
    this.#stopListening();
  }

  #failed(error: unknown): never {
    if (error instanceof BrowserError || error instanceof HopError || error instanceof CurlewError) throw error;
    // Sometimes it is gone before its events say so.
    if (!this.#options.browser.isConnected() || this.#page?.isClosed() === true) throw crashed();
    throw new BrowserError('navigation_failed', `Chromium gave up: ${firstLineOf(messageOf(error))}`);
  }

  /** While a request waits at the gates the time that is left does not get less. */
  #lookAgainMs(leftMs: number): number {
    return this.#options.traffic.waits.isWaiting ? Math.max(leftMs, LOOK_MS) : leftMs;
  }

  readonly #onTimer = (): void => {
    const { traffic, clock, totalMs, downloads } = this.#options;
    const earnedMs = downloads ? (traffic.receivedBytes / SLOWEST_DOWNLOAD_BYTES_PER_SECOND) * 1000 : 0;
    const waitedMs = Math.min(traffic.waits.waitedMs, LONGEST_WAITS_MS);
    const leftMs = totalMs + earnedMs + waitedMs - (clock.monotonic() - this.#startedAt);
    if (leftMs > 1) this.#timer = setTimeout(this.#onTimer, this.#lookAgainMs(leftMs));
    else this.#over.reject(new HopError('total_timeout', `the page was not complete after ${totalMs} ms`));
  };
}

/** Waiting at our own gates is not the site's time; but a page with parts for more hours than this shall end too. */
const LONGEST_WAITS_MS = 3_600_000;

function crashed(): BrowserError {
  return new BrowserError('browser_crashed', 'Chromium died while it loaded the page');
}

/** What Playwright says, without its log of calls. */
export function firstLineOf(text: string): string {
  return text.split('\n', 1).join();
}
