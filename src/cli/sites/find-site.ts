// The site a person means: by its file, or by its domain when its file was used before in this data directory.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadSite } from '../../engine/load-scraper.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { didYouMean } from '../../platform/nearest.ts';
import type { SiteDefinition } from '../../sites/define-site.ts';
import { hasData, lookAtData } from '../look-at-data.ts';

export interface FoundSite {
  readonly site: SiteDefinition;
  /** Where its file is. */
  readonly source: string;
}

export function addSiteArgument(command: Command): Command {
  return command.argument('<site>', 'site file, or domain of a site that was walked here before');
}

/** Throws `site_file` when there is no such file or site. */
export async function findSite(reference: string, data: string): Promise<FoundSite> {
  if (existsSync(reference)) return load(resolve(reference));
  const known = await knownSites(data);
  const source = known.get(reference);
  if (source !== undefined) return load(source);
  const names = [...known.keys()];
  throw new CurlewError(ErrorCode.siteFile, `There is no file ${reference}, and no site of that name in ${data}.`, {
    remedy: `${didYouMean(reference, names)}Name a site file${names.length === 0 ? '' : `, or one of: ${names.join(', ')}`}.`,
  });
}

async function load(source: string): Promise<FoundSite> {
  return { site: await loadSite(source), source };
}

/** The files of the sites that were walked here before, by their domains. */
async function knownSites(data: string): Promise<ReadonlyMap<string, string>> {
  if (!hasData(data)) return new Map();
  const sites = await lookAtData(data, (ledger) => ledger.sites.sites());
  return new Map(sites.flatMap(({ id, source }) => (source === undefined ? [] : [[id, source]])));
}
