// Datacenter proxies that rest, for each site by itself. An entry lasts for the cooldown of its site and is dropped when it
// is read after that.

import { proxyName } from '../fetch/proxy/proxy-name.ts';
import type { SiteLedger } from '../ledger/sites/site-ledger.ts';
import { redactSecrets } from '../observe/redact.ts';
import { DEFAULT_COOLDOWN_MINUTES } from './proxy-strategy.ts';
import { readSiteConfig, type SiteConfig } from './site-config.ts';

/** A datacenter proxy that rests for a site. */
export interface ProxyBlocklistEntry {
  /** Its name, without user and password. */
  readonly proxy: string;
  /** The last time. */
  readonly failedAt: Date;
  readonly failureCount: number;
  readonly lastError: string;
  /** At this moment it is back. */
  readonly until: Date;
}

const MINUTE_MS = 60_000;

export class ProxyBlocklist {
  readonly #ledger: SiteLedger;

  constructor(ledger: SiteLedger) {
    this.#ledger = ledger;
  }

  /** Without effect for a site that is not known, and for other than its datacenter proxies. */
  async add(domain: string, proxy: string, error: string): Promise<void> {
    const config = await this.#config(domain);
    const name = proxyName(proxy);
    if (config?.proxies.datacenter?.includes(name)) await this.#ledger.block(domain, name, redactSecrets(error));
  }

  /** The first to be back first. Empty for a site that is not known. `look` leaves those that are over in their place. */
  async entries(domain: string, how: 'drop' | 'look' = 'drop'): Promise<ProxyBlocklistEntry[]> {
    const config = await this.#config(domain);
    if (config === undefined) return [];
    const cooldownMs = (config.proxies.cooldownMinutes ?? DEFAULT_COOLDOWN_MINUTES) * MINUTE_MS;
    const blocked = await this.#ledger.blocked(domain, cooldownMs, how);
    return blocked.map((entry) => ({
      ...entry,
      failedAt: new Date(entry.failedAt),
      until: new Date(entry.failedAt + cooldownMs),
    }));
  }

  async #config(domain: string): Promise<SiteConfig | undefined> {
    const site = await this.#ledger.site(domain);
    return site === undefined ? undefined : readSiteConfig(site.config);
  }
}
