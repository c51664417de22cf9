// How the items of a site become the requests of a run, with the same identities that the scraper's own would have.

import type { NewRun } from '../ledger/run.ts';
import type { RunPlan } from '../ledger/sites/site-ledger.ts';
import { defineScraper } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import { get, type Step } from '../scraper/request.ts';
import type { SiteDefinition } from '../sites/define-site.ts';
import { hashDefinition } from '../sites/hash-definition.ts';
import { keepsItems } from '../sites/keeps-items.ts';
import { resolveRequest } from './resolve-request.ts';
import { saved } from './run.ts';
import type { Settings } from './settings.ts';

/** Who asked for it, the file it was loaded from, and whether items that are missing are accepted as gone. */
type Origin = Pick<NewRun, 'trigger' | 'source'> & { readonly acceptMissing?: boolean };

export function planSiteRun(site: SiteDefinition, given: Origin, settings: Settings): RunPlan {
  const { acceptMissing = false, ...origin } = given;
  const definition = defineScraper(new site.scraper(), settings.baseUrl);
  const step = definition.stepNamed(site.itemStep) as Step<Page, []>;
  return {
    run: {
      ...origin,
      kind: 'site',
      name: site.domain,
      params: { entries: {} },
      settings: saved(settings),
      replayOf: undefined,
    },
    request: (url) => resolveRequest(get(url, step), { base: url, depth: 0, occurrence: `item ${url}` }, definition),
    keepsItems: (startPage) => !acceptMissing && keepsItems(startPage, site),
    definition: hashDefinition(site),
  };
}
