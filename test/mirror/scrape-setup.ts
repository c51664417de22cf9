// The mirror against the simulated court, in this process: real sockets, a real ledger, real files, and no waiting.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JudicialKyOptions, type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { AJAX_PATH, BOX_PATH, REGISTER_PATH } from '../../sim/judicial-ky/paths.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { MirrorRun } from '../../src/ledger/mirror/mirror-run.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { runScrape } from '../../src/mirror/run-scrape.ts';
import type { ScrapeOptions } from '../../src/mirror/scrape-options.ts';
import type { ScrapeParams } from '../../src/mirror/scrape-params.ts';
import type { MirrorRunSummary } from '../../src/mirror/summarise-run.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { FlyingClock } from './flying-clock.ts';

export const SOURCE = 'unreported_judgments';

/** Closed after the test. */
export async function startSite(options: JudicialKyOptions = {}): Promise<RunningJudicialKy> {
  return closing(await startJudicialKy({ seed: 7, cases: 60, ...options }));
}

function paramsOf(given: Partial<ScrapeParams> = {}): ScrapeParams {
  return {
    mode: 'new',
    targetSource: SOURCE,
    perDownloadDelayMs: 0,
    maxRetries: 3,
    concurrency: 4,
    resumeStrategy: 'auto',
    dryRun: false,
    limit: undefined,
    trigger: 'cli',
    acceptShrink: false,
    ...given,
  };
}

export function envOf(site: RunningJudicialKy): Record<string, string> {
  return {
    BAILIIKC_UJ_BASE_URL: site.url,
    BAILIIKC_UJ_FILE_HOSTS: site.boxUrl,
    BAILIIKC_MIN_FREE_MB: '1',
    PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS: '0',
    PLAYWRIGHT_RETRY_PAGE_SETTLE_SECONDS: '0',
  };
}

function optionsOf(data: string, given: Partial<ScrapeOptions> = {}): ScrapeOptions {
  return {
    data,
    // On a clock that flies, every patience is spent at once.
    fetch: { rate: 'off', allowHosts: ['127.0.0.1'], patienceMs: 'off' },
    world: { clock: new FlyingClock() },
    ...given,
  };
}

export function scrape(
  site: RunningJudicialKy,
  data: string,
  params: Partial<ScrapeParams> = {},
  options: Partial<ScrapeOptions> = {},
): Promise<MirrorRunSummary> {
  return runScrape(paramsOf(params), optionsOf(data, { ...options, env: { ...envOf(site), ...options.env } }));
}

/** As `scrape`, on the site that the settings of the options name. */
export function scrapeAt(
  data: string,
  params: Partial<ScrapeParams>,
  options: Partial<ScrapeOptions>,
): Promise<MirrorRunSummary> {
  const env = { BAILIIKC_MIN_FREE_MB: '1', PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS: '0', ...options.env };
  return runScrape(paramsOf(params), optionsOf(data, { ...options, env }));
}

/** Opens the ledger for looking. */
export async function look<T>(data: string, read: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  try {
    return await read(ledger);
  } finally {
    await ledger.close();
  }
}

export async function latestRun(data: string): Promise<MirrorRun> {
  const [run] = await look(data, (ledger) => ledger.mirror.runs(SOURCE, 1));
  if (run === undefined) throw new Error('there is no run');
  return run;
}

/** Every PDF by token, with its SHA-256. */
export function filesIn(data: string): Record<string, string> {
  const home = join(data, 'pdfs', SOURCE);
  if (!existsSync(home)) return {};
  const hashed = readdirSync(home).map((name) => [
    name.replace(/\.pdf$/, ''),
    createHash('sha256')
      .update(readFileSync(join(home, name)))
      .digest('hex'),
  ]);
  return Object.fromEntries(hashed.sort());
}

/** What a perfect mirror of the version holds. */
export function perfectFiles(site: RunningJudicialKy, version: 'v1' | 'v2' | 'v3' = 'v1'): Record<string, string> {
  const wanted = site.corpus
    .wanted(version)
    .map(({ token }) => [normalizeActionToken(token), site.corpus.sha256(token)]);
  return Object.fromEntries(wanted.sort());
}

/** How often the site was asked: pages, AJAX calls, files. */
export function requestsTo(site: RunningJudicialKy): { pages: number; ajax: number; files: number } {
  const count = (entries: readonly { readonly path: string }[], start: string) =>
    entries.filter(({ path }) => path.startsWith(start)).length;
  return {
    pages: count(site.log.entries, REGISTER_PATH),
    ajax: count(site.log.entries, AJAX_PATH),
    files: count(site.box.log.entries, BOX_PATH),
  };
}

export function logOf(data: string): string {
  return readFileSync(join(data, 'logs', 'latest.log'), 'utf8');
}

/** The error codes that downloads of any run went through, with how often. */
export async function codesSeen(data: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [, code = ''] of logOf(data).matchAll(/to_status=failed .*?error_code=(\w+)/g)) {
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}
