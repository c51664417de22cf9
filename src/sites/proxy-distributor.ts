// Gives each request of a site its way out, and leaves out what rests. A datacenter proxy rests for its cooldown after it
// failed, or after the site did not answer through it while it answered through another one. When all rest, the site
// waits for the first to be back. Residential ones do not rest; when all of them have failed in a row, the site waits a
// moment.

import type { Outcome } from '../fetch/outcome.ts';
import type { ProxyAssigner } from '../fetch/proxy/proxy-assigner.ts';
import type { ProxyServer } from '../fetch/proxy/proxy-server.ts';
import { isProxyFailure } from '../fetch/proxy-gates.ts';
import type { Clock, Instant } from '../platform/clock.ts';
import type { ProxyBlocklist } from './proxy-blocklist.ts';
import { proxyName } from './proxy-name.ts';
import { type ProxyPool, pickWay } from './proxy-pool.ts';

export interface ProxyDistributorOptions {
  readonly domain: string;
  readonly pool: ProxyPool;
  readonly blocklist: ProxyBlocklist;
  readonly clock: Clock;
}

/** How long the site waits when all residential ways have failed in a row. */
const RESIDENTIAL_WAIT_MS = 30_000;

export class ProxyDistributor implements ProxyAssigner {
  readonly #options: ProxyDistributorOptions;
  /** When the site answered last, by proxy. */
  readonly #answered = new Map<string, Instant>();
  #turns = { given: 0, failed: 0 };
  /** Failures of residential ways since the last answer or wait. */
  #failedInRow = 0;
  #residentialFrom: Instant = Number.NEGATIVE_INFINITY;
  #noted: { readonly name: string; readonly code: string }[] = [];

  constructor(options: ProxyDistributorOptions) {
    this.#options = options;
  }

  async assign(stop: AbortSignal): Promise<ProxyServer> {
    const { domain, pool, blocklist, clock } = this.#options;
    for (;;) {
      for (const { name, code } of this.#noted.splice(0))
        await this.#failed(name, `${code}, on the way to robots.txt or a probe`);
      const resting = await blocklist.entries(domain);
      const way = pickWay(pool, new Set(resting.map(({ proxy }) => proxy)), this.#turns);
      const from = way?.kind === 'residential' ? this.#residentialFrom : Number.NEGATIVE_INFINITY;
      if (way !== undefined && from <= clock.now()) {
        this.#turns.given++;
        return way.proxy;
      }
      const back = way === undefined ? Math.min(...resting.map(({ until }) => until.getTime())) : from;
      await clock.sleep(back - clock.now(), stop);
    }
  }

  async learn(proxy: ProxyServer, outcome: Outcome): Promise<void> {
    const name = proxyName(proxy);
    const { clock } = this.#options;
    if (outcome.exchanges.length > 0) {
      this.#answered.set(name, clock.now());
      this.#failedInRow = 0;
      return;
    }
    if (outcome.kind !== 'site_wide' || outcome.failure === undefined) return;
    if (isProxyFailure(outcome.failure) || this.#othersGetThrough(name)) await this.#failed(name, outcome.reason);
    else this.#turns.failed++;
  }

  noteFailure(proxy: ProxyServer, code: string): void {
    this.#noted.push({ name: proxyName(proxy), code });
  }

  async #failed(name: string, reason: string): Promise<void> {
    this.#turns.failed++;
    this.#countResidential(name);
    await this.#options.blocklist.add(this.#options.domain, name, reason);
  }

  #countResidential(name: string): void {
    const { pool, clock } = this.#options;
    if (pool.datacenter.some((way) => way.name === name)) return;
    if (++this.#failedInRow < pool.residential.length) return;
    this.#failedInRow = 0;
    this.#residentialFrom = clock.now() + RESIDENTIAL_WAIT_MS;
  }

  /** Whether the site answered through another proxy since it last did through this one: then it is not the site's doing. */
  #othersGetThrough(name: string): boolean {
    const own = this.#answered.get(name) ?? Number.NEGATIVE_INFINITY;
    return [...this.#answered].some(([other, at]) => other !== name && at > own);
  }
}
