// The simulated court as a site: its lists, and a step that reads a case.

import { z } from 'zod';
import type { RunningCourt } from '../../sim/court/court.ts';
import { type WalkHandle, type WalkSiteOptions, walkSite } from '../../src/engine/walk-site.ts';
import type { Page } from '../../src/scraper/page/page.ts';
import { record } from '../../src/scraper/record.ts';
import { get } from '../../src/scraper/request.ts';
import { Scraper } from '../../src/scraper/scraper.ts';
import { defineSite, type SiteDefinition, type SiteInput } from '../../src/sites/define-site.ts';

const Case = z.object({ number: z.string(), title: z.string() });

export class CourtCases extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  *parseList(page: Page) {
    for (const link of page.links('table.cases a')) yield get(link, this.parseCase);
    for (const next of page.links('a.next')) yield get(next, this.parseList);
  }

  *parseCase(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
  }
}

export function courtSite(changes: Partial<SiteInput<CourtCases>> = {}): SiteDefinition {
  return defineSite({
    domain: 'court.example',
    startPages: ['/list/civil', '/list/criminal'],
    list: { items: 'table.cases a', next: 'a.next', total: '.total' },
    scraper: CourtCases,
    itemStep: 'parseCase',
    ...changes,
  });
}

/** As fast as the court can. */
export function walkCourt(
  court: RunningCourt,
  data: string,
  site = courtSite(),
  options: Partial<WalkSiteOptions> = {},
): WalkHandle {
  const settings = { baseUrl: court.url, allowHosts: [new URL(court.url).host], rate: 'off' } as const;
  return walkSite(site, { data, ...settings, ...options });
}

/** The list pages the court was asked for, by list: `{ civil: [1, 2, 3] }`. */
export function pagesAsked(court: RunningCourt, since = 0): Record<string, number[]> {
  const asked: Record<string, number[]> = {};
  for (const { path } of court.log.since(since)) {
    const [, name, page = '1'] = /^\/list\/(\w+)(?:\?page=(\d+))?$/.exec(path) ?? [];
    if (name !== undefined) asked[name] = [...(asked[name] ?? []), Number(page)];
  }
  return asked;
}

export const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
