// One Chromium, started when it is first needed and again after it died. It has no network but the guard proxy, no
// background traffic, and no home but a temporary directory, which goes with it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';

export interface BrowserProcessOptions {
  readonly executablePath: string;
  /** `http://127.0.0.1:port` of the guard proxy. */
  readonly proxyUrl: string;
  /** Base64 of the SHA-256 of the guard proxy's key, the only one accepted without a chain. */
  readonly keyHash: string;
}

const LAUNCH_MS = 60_000;

export class BrowserProcess {
  readonly #options: BrowserProcessOptions;
  #running: Promise<Browser> | undefined;
  #closed = false;

  constructor(options: BrowserProcessOptions) {
    this.#options = options;
  }

  /** The running Chromium. Rejects with `service_missing` when it cannot be started. */
  browser(): Promise<Browser> {
    if (this.#closed) return Promise.reject(new CurlewError(ErrorCode.internal, 'The browser was used after close()'));
    this.#running ??= this.#start();
    return this.#running;
  }

  /** Ends Chromium and removes what it left. Calling it again is fine. */
  async close(): Promise<void> {
    this.#closed = true;
    const browser = await this.#running?.catch(() => undefined);
    await browser?.close();
  }

  async #start(): Promise<Browser> {
    const home = await mkdtemp(join(tmpdir(), 'curlew-chromium-'));
    try {
      const browser = await this.#launch(home);
      browser.on('disconnected', () => {
        this.#running = undefined;
        // Chromium's last process may still be writing.
        void rm(home, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
      });
      return browser;
    } catch (error) {
      this.#running = undefined;
      await rm(home, { recursive: true, force: true });
      throw new CurlewError(
        ErrorCode.serviceMissing,
        `${this.#options.executablePath} did not start: ${messageOf(error)}`,
        { remedy: 'Run it by hand with --headless --dump-dom about:blank to see why.', cause: error },
      );
    }
  }

  async #launch(home: string): Promise<Browser> {
    const { executablePath, proxyUrl, keyHash } = this.#options;
    // Loaded on first use: who never asks for a browser does not pay for it.
    const { chromium } = await import('playwright-core');
    return chromium.launch({
      executablePath,
      headless: true,
      // The sandbox does not work for root.
      chromiumSandbox: process.getuid?.() !== 0,
      // For everything that is not a page of ours, and so has no password: it gets nowhere. Loopback is not exempt.
      proxy: { server: proxyUrl },
      args: [
        `--ignore-certificate-errors-spki-list=${keyHash}`,
        // Names are resolved by the guard alone.
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-quic',
        '--disable-gpu',
        '--disable-sync',
        '--no-pings',
      ],
      downloadsPath: join(home, 'downloads'),
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

const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'SystemRoot', 'WINDIR'];

function inherited(): Record<string, string> {
  const present = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(present.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
