// The sites of a data directory from code: what was walked of each, what may be committed, which proxies rest.

import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { SiteDefinition } from '../sites/define-site.ts';
import { SiteManager } from '../sites/site-manager.ts';
import { openData } from './data-directory.ts';
import { planSiteRun } from './plan-site-run.ts';
import { readSettings, type SettingsInput } from './settings.ts';

/** Which sites of which data directory. Settings are those of the runs that are committed here. */
export interface SiteManagerOptions extends SettingsInput {
  /** Directory of the ledger, the archive and the files. Made if need be. */
  readonly data: string;
  /** The sites whose partial runs may be committed here. They are made known to the ledger. */
  readonly sites?: readonly SiteDefinition[];
}

/**
 * Opens the site manager of a data directory. Whoever opens it closes it. To walk a site, use `walkSite`: it does all of
 * this by itself.
 *
 * @example
 * const manager = await openSiteManager({ data: './curlew-data', sites: [site] });
 * await manager.startPagination('court.example', ['https://court.example/list']);
 */
export async function openSiteManager(options: SiteManagerOptions): Promise<SiteManager & { close(): Promise<void> }> {
  const { data: path, sites = [], ...given } = options;
  const settings = readSettings(given);
  const { ledger } = await openData(path, { clock: systemClock });
  const planRun = (siteId: string) => {
    const site = sites.find(({ domain }) => domain === siteId);
    if (site !== undefined) return planSiteRun(site, { trigger: 'cli', source: undefined }, settings);
    throw new CurlewError(ErrorCode.usage, `How the items of ${siteId} are read is not known here.`, {
      remedy: 'Give its definition to openSiteManager, in `sites`.',
    });
  };
  const manager = new SiteManager({ ledger: ledger.sites, planRun });
  for (const site of sites) await manager.addSite(site);
  return Object.assign(manager, { close: () => ledger.close() });
}
