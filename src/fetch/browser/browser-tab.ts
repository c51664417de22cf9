// A tab of Chromium that stays open while someone works in it. Every request it makes passes the guard proxy and `admit`,
// as those of a single load do; each page it goes to may receive so many bytes and no more.

import type { Page } from 'playwright-core';
import type { Clock } from '../../platform/clock.ts';
import type { HeaderList } from '../outcome.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import type { Admit } from './admit.ts';
import { PageTraffic } from './page-traffic.ts';
import type { SessionContext } from './session-contexts.ts';

export type { Page, Request, Response } from 'playwright-core';

export interface TabRequest {
  /** Tabs of different sessions share nothing. */
  readonly session: string;
  /** `User-Agent` goes with every request. */
  readonly headers: HeaderList;
  readonly proxy: ProxyServer | undefined;
  readonly admit: Admit;
}

export interface TabParts {
  readonly maxPageBytes: number;
  readonly clock: Clock;
  /** Gives up the place of the tab. */
  readonly drop: () => Promise<void>;
}

export class BrowserTab {
  /** Go to other pages with `goto` of the tab: the page's own has no network. */
  readonly page: Page;
  readonly #place: SessionContext;
  readonly #request: TabRequest;
  readonly #parts: TabParts;
  #closed = false;

  private constructor(page: Page, place: SessionContext, request: TabRequest, parts: TabParts) {
    this.page = page;
    this.#place = place;
    this.#request = request;
    this.#parts = parts;
  }

  /** Made by `BrowserFetch.openTab`. */
  static async open(place: SessionContext, request: TabRequest, parts: TabParts): Promise<BrowserTab> {
    try {
      return new BrowserTab(await place.context.newPage(), place, request, parts);
    } catch (error) {
      await parts.drop();
      throw error;
    }
  }

  /** Whether Chromium lives. */
  get isAlive(): boolean {
    return !this.#closed && this.#place.browser.isConnected() && !this.page.isClosed();
  }

  /** Loads a page until its document is there; gives its status. Rejects as Playwright does. */
  async goto(url: string, timeoutMs: number): Promise<number | undefined> {
    this.#place.door.traffic?.end();
    const { headers, admit } = this.#request;
    const { maxPageBytes: maxBytes, clock } = this.#parts;
    this.#place.door.traffic = new PageTraffic({ url: new URL(url), headers, admit, maxBytes, clock });
    const response = await this.page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs });
    return response?.status();
  }

  /** Calling it again is fine. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#parts.drop();
  }
}
