// One Chromium, started when it is first needed and again after it died. It has no network but the guard proxy, no
// background traffic, and no home but a temporary directory, which goes with it.

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { makeHome, noteProfileOf, removeHome, removeLeftHomes } from './chromium-home.ts';
import { GUARD_DOMAIN, type GuardProxy } from './guard-proxy.ts';
import { watchMemory } from './memory-watch.ts';

export interface BrowserProcessOptions {
  readonly executablePath: string;
  readonly guard: GuardProxy;
  /** What one process of a page may take. */
  readonly maxProcessBytes: number;
}

const LAUNCH_MS = 60_000;

export class BrowserProcess {
  readonly #options: BrowserProcessOptions;
  #running: Promise<Browser> | undefined;
  /** Resolves when the one started last has ended and what it left is removed. */
  #lastGone: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: BrowserProcessOptions) {
    this.#options = options;
  }

  /** The running Chromium. Rejects with `service_missing` when it cannot be started. */
  async browser(): Promise<Browser> {
    if (this.#closed) throw new CurlewError(ErrorCode.internal, 'The browser was used after close()');
    this.#running ??= this.#start();
    return this.#running;
  }

  /** Ends Chromium and removes what it left. Calling it again is fine. */
  async close(): Promise<void> {
    this.#closed = true;
    // One that did not start has told whoever waited for it.
    const browser = await this.#running?.catch(() => undefined);
    await browser?.close();
    await this.#lastGone;
  }

  async #start(): Promise<Browser> {
    await this.#lastGone;
    await removeLeftHomes();
    const home = await makeHome();
    try {
      const browser = await this.#launch(home);
      const disconnected = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
      this.#lastGone = disconnected.then(() => {
        this.#running = undefined;
        return removeHome(home);
      });
      watchMemory(browser, this.#options.maxProcessBytes);
      // Without the note the profile is left when we are killed, and that is all.
      await noteProfile(home, browser).catch(() => {});
      return browser;
    } catch (error) {
      this.#running = undefined;
      await removeHome(home);
      throw new CurlewError(
        ErrorCode.serviceMissing,
        `${this.#options.executablePath} did not start: ${messageOf(error)}`,
        { remedy: 'Run it by hand with --headless --dump-dom about:blank to see why.', cause: error },
      );
    }
  }

  async #launch(home: string): Promise<Browser> {
    const { executablePath, guard } = this.#options;
    // Loaded on first use: who never asks for a browser does not pay for it.
    const { chromium } = await import('playwright-core');
    return chromium.launch({
      executablePath,
      headless: true,
      // The sandbox does not work for root.
      chromiumSandbox: process.getuid?.() !== 0,
      // For everything that is not a page of ours: it gets nowhere.
      proxy: { server: guard.closedDoorUrl, bypass: NO_EXCEPTIONS },
      args: [
        // The one key that is accepted without a chain.
        `--ignore-certificate-errors-spki-list=${guard.keyHash}`,
        // All other names are resolved by the guard.
        `--host-resolver-rules=MAP *.${GUARD_DOMAIN} 127.0.0.1, MAP * ~NOTFOUND`,
        // WebRTC would send packets past the proxy. The switch had another name in older versions.
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-quic',
        '--disable-gpu',
        '--disable-sync',
        '--no-pings',
      ],
      downloadsPath: join(home, 'downloads'),
      artifactsDir: join(home, 'artifacts'),
      // Neither the caller's secrets nor his profile are Chromium's business.
      env: { ...inherited(), HOME: home, TMPDIR: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
      timeout: LAUNCH_MS,
      // Who stops the run closes the browser; a signal must not do it before.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  }
}

/** Playwright gives Chromium a profile in a directory of its own choice, and does not tell. */
async function noteProfile(home: string, browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const main = processInfo.find(({ type }) => type === 'browser');
  if (main !== undefined) await noteProfileOf(home, main.id);
  await session.detach();
}

/** Chromium exempts loopback from proxies, unless it is told not to. */
export const NO_EXCEPTIONS = '<-loopback>';

const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'SystemRoot', 'WINDIR'];

function inherited(): Record<string, string> {
  const present = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(present.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
