// The connections of the transport, by way out: one pool for each proxy (or none) and origin, so that a connection serves one
// origin, and a password one proxy.

import { Agent, Pool } from 'undici';
import { normalHost } from '../guard/host-pattern.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { Connection } from './connection.ts';
import type { Dialer, ProxyManner } from './dialer.ts';
import type { PlainManner } from './plain-proxying.ts';

export interface RoutesOptions {
  readonly dialer: Dialer;
  readonly closing: AbortSignal;
  readonly maxHeaderBytes: number;
  readonly socketsPerOrigin: number;
  readonly idleSocketMs: number;
}

/** One way out: through a proxy, or without one. */
export interface Route {
  /** Connections to origins. */
  readonly tunnels: Agent;
  /** Connections to the proxy, for requests that it is asked to pass on. */
  readonly forwards: Agent;
  /** How plain http goes to an origin through this proxy; without an entry, by a tunnel. */
  readonly manners: Map<string, PlainManner>;
}

/** Routes are kept for this many proxies; the one unused for longest goes first. */
const MOST_PROXIES = 64;
const DIRECT = '';

export class Routes {
  readonly #options: RoutesOptions;
  readonly #routes = new Map<string, Route>();
  readonly #retiring = new Set<Agent>();

  constructor(options: RoutesOptions) {
    this.#options = options;
  }

  /** To be used at once: another one may take its place. */
  of(proxy: ProxyServer | undefined): Route {
    const key = proxy === undefined ? DIRECT : JSON.stringify(proxy);
    let route = this.#routes.get(key);
    if (route === undefined) {
      route = {
        tunnels: this.#newAgent(proxy, 'tunnel'),
        forwards: this.#newAgent(proxy, 'forward'),
        manners: new Map(),
      };
      this.#routes.set(key, route);
      this.#forgetOldestProxy();
    } else if (key !== DIRECT) {
      // A Map remembers the order of insertion: the first key is the one unused for longest.
      this.#routes.delete(key);
      this.#routes.set(key, route);
    }
    return route;
  }

  /** Closes every connection. Twice is fine. */
  async close(): Promise<void> {
    const agents = [...this.#routes.values()].flatMap(({ tunnels, forwards }) => [tunnels, forwards]);
    await Promise.all([...agents, ...this.#retiring].map((agent) => agent.destroy()));
  }

  #forgetOldestProxy(): void {
    const proxies = [...this.#routes.keys()].filter((key) => key !== DIRECT);
    const oldest = proxies[0];
    if (oldest === undefined || proxies.length <= MOST_PROXIES) return;
    const route = this.#routes.get(oldest);
    this.#routes.delete(oldest);
    if (route === undefined) return;
    // Exchanges under way end as they would have; only then the connections go.
    for (const agent of [route.tunnels, route.forwards]) {
      this.#retiring.add(agent);
      agent.close(() => this.#retiring.delete(agent));
    }
  }

  #newAgent(proxy: ProxyServer | undefined, manner: ProxyManner): Agent {
    const { dialer, closing, maxHeaderBytes, socketsPerOrigin, idleSocketMs } = this.#options;
    return new Agent({
      factory: (origin) => {
        const url = new URL(origin);
        const target = {
          host: normalHost(url.hostname),
          port: Number(url.port === '' ? { 'http:': 80, 'https:': 443 }[url.protocol] : url.port),
          secure: url.protocol === 'https:',
        };
        const options = {
          maxHeaderBytes,
          idleSocketMs,
          direct: proxy === undefined,
          dial: () => dialer.dial(target, proxy, closing, manner),
        };
        return new Pool(url, {
          connections: socketsPerOrigin,
          factory: (address) => new Connection(address, options),
          allowH2: false,
        });
      },
    });
  }
}
