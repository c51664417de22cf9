// A site manager on a real ledger file, that can be closed and opened again as by a new process.

import { onTestFinished } from 'vitest';
import { resolveRequest } from '../../src/engine/resolve-request.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { RunPlan } from '../../src/ledger/sites/site-ledger.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { defineScraper } from '../../src/scraper/definition.ts';
import { get } from '../../src/scraper/request.ts';
import { Scraper } from '../../src/scraper/scraper.ts';
import type { SiteConfig } from '../../src/sites/site-config.ts';
import { SiteManager } from '../../src/sites/site-manager.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';
}

/** A run that only fetches its items. */
export function planRun(siteId: string): RunPlan {
  const definition = defineScraper(new Court());
  return {
    run: {
      kind: 'site',
      trigger: 'cli',
      name: siteId,
      source: undefined,
      params: {},
      settings: {},
      replayOf: undefined,
    },
    request: (url) => resolveRequest(get(url), { base: url, depth: 0, occurrence: url }, definition),
    keepsItems: () => true,
    definition: undefined,
  };
}

export interface SitesInLedger {
  readonly manager: SiteManager;
  readonly ledger: Ledger;
}

/** Closed after the test. */
export async function openSites(data: string, clock: Clock): Promise<SitesInLedger> {
  const ledger = await Ledger.open(data, { clock });
  onTestFinished(() => ledger.close());
  return { ledger, manager: new SiteManager({ ledger: ledger.sites, planRun }) };
}

/** The same file, seen by what could be the next process. */
export async function restart({ ledger }: SitesInLedger, data: string, clock: Clock): Promise<SitesInLedger> {
  await ledger.close();
  return openSites(data, clock);
}

export function siteConfig(domain: string, proxies: SiteConfig['proxies'] = { strategy: 'none' }): SiteConfig {
  return { domain, startPages: ['/list'], proxies };
}
