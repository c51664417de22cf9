// The way of one browser session through the guard proxy: its own name to come in by, its own connections to go out on.

import type { Dialer } from '../http/dialer.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { GuardedAgent } from './guarded-agent.ts';
import type { PageTraffic } from './page-traffic.ts';

export class GuardDoor {
  /** The proxy to give to Chromium. Who knows it can use it. */
  readonly url: string;
  /** The page load that requests belong to now; without one nothing passes. */
  traffic: PageTraffic | undefined;
  /** Whether connections end at the site itself, not at another proxy. */
  readonly direct: boolean;
  readonly #plain: GuardedAgent;
  readonly #secure: GuardedAgent;
  readonly #onClose: () => void;

  /** Made by `GuardProxy.openDoor`. */
  constructor(url: string, dialer: Dialer, proxy: ProxyServer | undefined, onClose: () => void) {
    this.url = url;
    this.direct = proxy === undefined;
    this.#plain = new GuardedAgent(dialer, proxy, false);
    this.#secure = new GuardedAgent(dialer, proxy, true);
    this.#onClose = onClose;
  }

  /** Undefined for anything but http and https. */
  agentFor({ protocol }: URL): GuardedAgent | undefined {
    if (protocol === 'http:') return this.#plain;
    return protocol === 'https:' ? this.#secure : undefined;
  }

  /** Ends what is under way. Calling it again is fine. */
  close(): void {
    this.traffic?.end();
    this.traffic = undefined;
    this.#plain.destroy();
    this.#secure.destroy();
    this.#onClose();
  }
}
