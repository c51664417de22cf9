// The site a person means: by its file, or by its domain when its file was used before in this data directory.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { LEDGER_FILE } from '../../ledger/ledger.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { SiteDefinition } from '../../sites/define-site.ts';
import { loadSite } from '../load-scraper.ts';
import { lookAtData } from '../look-at-data.ts';

export interface FoundSite {
  readonly site: SiteDefinition;
  /** Where its file is. */
  readonly source: string;
}

/** Throws `site_file` when there is no such file or site. */
export async function findSite(reference: string, data: string): Promise<FoundSite> {
  const source = existsSync(reference) ? resolve(reference) : await sourceOf(reference, data);
  if (source !== undefined) return { site: await loadSite(source), source };
  throw new CurlewError(ErrorCode.siteFile, `There is no file ${reference}, and no site of that name in ${data}.`, {
    remedy: 'Name a site file, or see the sites there are with curlew sites status.',
  });
}

async function sourceOf(domain: string, data: string): Promise<string | undefined> {
  if (!existsSync(`${data}/${LEDGER_FILE}`)) return undefined;
  return lookAtData(data, async ({ sites }) => (await sites.site(domain))?.source);
}
