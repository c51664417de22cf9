// Walks over start pages that are not committed yet, as the API shows them.

import { waitsOf } from '../../engine/run-waits.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StartPage, StoredPartialRun } from '../../ledger/sites/partial-run-table.ts';
import type { Instant } from '../../platform/clock.ts';
import type { SiteWalk } from '../contract/runs.ts';
import { cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';
import { ownerText } from './run-rows.ts';
import { tellWait } from './tell-wait.ts';

export async function listWalks(ledger: Ledger, now: Instant): Promise<SiteWalk[]> {
  return Promise.all((await ledger.sites.partialRuns()).map((partial) => describeWalk(ledger, partial, now)));
}

async function describeWalk(
  ledger: Ledger,
  { siteId, createdAt, startPages }: StoredPartialRun,
  now: Instant,
): Promise<SiteWalk> {
  const owner = await ledger.reports.ownerOfWalk(siteId);
  const isOn = owner.state === 'alive';
  return {
    site: siteId,
    beganAt: iso(createdAt),
    urls: startPages.reduce((sum, { urls }) => sum + urls, 0),
    startPages: await Promise.all(startPages.map((page) => describeStartPage(ledger, page))),
    owner: {
      state: owner.state,
      text: ownerText(false, owner),
      pid: owner.holder?.pid ?? null,
      machine: owner.holder?.machine ?? null,
      heartbeatAt: iso(owner.heartbeatAt),
    },
    waits: isOn ? (await waitsOf(ledger, hostsOf(startPages), now)).map(tellWait) : [],
    can: { stop: isOn ? null : 'Nobody walks it.', resume: isOn ? 'It is being walked.' : null },
  };
}

function hostsOf(startPages: readonly StartPage[]): string[] {
  return [...new Set(startPages.flatMap(({ url }) => URL.parse(url)?.host ?? []))];
}

async function describeStartPage(ledger: Ledger, page: StartPage): Promise<SiteWalk['startPages'][number]> {
  const last = page.failureCount === 0 ? undefined : (await ledger.sites.failuresOf(page.id)).at(-1);
  return {
    url: page.url,
    completed: page.completed,
    pages: page.pages,
    urls: page.urls,
    statedTotal: page.statedTotal ?? null,
    failureCount: page.failureCount,
    reason: cleanText(page.reason),
    lastFailure: last === undefined ? null : { at: iso(last.at), proxy: last.proxy, error: cleanText(last.error) },
  };
}
