// Places to load pages in: each belongs to one session (and proxy), has its own way through the guard proxy, and holds
// one page at a time. A session that loads two pages at once gets two places; its cookies are given to each load anew.

import type { Browser, BrowserContext } from 'playwright-core';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { type BrowserProcess, NO_EXCEPTIONS } from './browser-process.ts';
import type { GuardDoor } from './guard-door.ts';
import type { GuardProxy } from './guard-proxy.ts';

const CLOSE_MS = 5_000;

export interface SessionContext {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly door: GuardDoor;
}

interface IdleContext extends SessionContext {
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

export interface SessionContextsOptions {
  readonly process: BrowserProcess;
  readonly guard: GuardProxy;
  /** An unused place is given up after this. */
  readonly idleMs: number;
  /** At most so many unused places are kept. */
  readonly maxIdle: number;
}

export class SessionContexts {
  readonly #options: SessionContextsOptions;
  readonly #idle = new Set<IdleContext>();

  constructor(options: SessionContextsOptions) {
    this.#options = options;
  }

  /** A place of this session that nobody else uses. It must be given back, or closed. */
  async take(session: string, proxy: ProxyServer | undefined): Promise<SessionContext> {
    const key = keyOf(session, proxy);
    for (const dead of [...this.#idle].filter(({ browser }) => !browser.isConnected())) this.#retire(dead);
    // Of several, the one used last has the warmest cache.
    const known = [...this.#idle].findLast((idle) => idle.key === key);
    if (known === undefined) return this.#open(proxy);
    this.#forget(known);
    return known;
  }

  giveBack(used: SessionContext, session: string, proxy: ProxyServer | undefined): void {
    if (!used.browser.isConnected()) {
      used.door.close();
      return;
    }
    const timer = setTimeout(() => this.#retire(idle), this.#options.idleMs);
    timer.unref();
    const idle: IdleContext = { ...used, key: keyOf(session, proxy), timer };
    this.#idle.add(idle);
    const [oldest] = this.#idle;
    if (oldest !== undefined && this.#idle.size > this.#options.maxIdle) this.#retire(oldest);
  }

  /** Closes a place for good. One that does not close in time takes Chromium along, which starts anew. */
  async drop({ browser, context, door }: SessionContext): Promise<void> {
    door.close();
    if (await doneWithin(CLOSE_MS, context.close())) return;
    await doneWithin(CLOSE_MS, browser.close());
  }

  /** Closes every unused place. */
  async closeIdle(): Promise<void> {
    const all = [...this.#idle];
    for (const idle of all) this.#forget(idle);
    await Promise.all(all.map((idle) => this.drop(idle)));
  }

  async #open(proxy: ProxyServer | undefined): Promise<SessionContext> {
    const { process, guard } = this.#options;
    const browser = await process.browser();
    const door = guard.openDoor(proxy);
    try {
      const context = await browser.newContext({
        proxy: { server: door.url, bypass: NO_EXCEPTIONS },
        // Pages are told at once; the guard proxy holds it.
        serviceWorkers: 'block',
        acceptDownloads: true,
      });
      return { browser, context, door };
    } catch (error) {
      door.close();
      throw error;
    }
  }

  #retire(idle: IdleContext): void {
    this.#forget(idle);
    void this.drop(idle);
  }

  #forget(idle: IdleContext): void {
    clearTimeout(idle.timer);
    this.#idle.delete(idle);
  }
}

/** Whether `work` ended in time, well or not: what cannot be closed any more is closed. */
export async function doneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  work.then(
    () => resolve(true),
    () => resolve(true),
  );
  const done = await promise;
  clearTimeout(timer);
  return done;
}

function keyOf(session: string, proxy: ProxyServer | undefined): string {
  return JSON.stringify([session, proxy]);
}
