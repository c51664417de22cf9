// One crawl in a process and a data directory of its own, measured from outside. A crawl that did not find every page
// exactly once has no figures: it throws.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Court } from './court-process.ts';
import { SCRAPY_REQUIREMENT, scrapyVersion } from './scrapy-version.ts';

export const CONTENDERS = ['curlew', 'bare', 'crawlee', 'scrapy'] as const;
export type Contender = (typeof CONTENDERS)[number];

/** What a contender's process prints as its last line. */
export interface CrawlReport {
  readonly pages: number;
  readonly records: number;
  /** From before the first request to after the last commit. */
  readonly seconds: number;
}

/** What a process used from its start to its end: see report-usage.js. */
interface Usage {
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface Measured extends Usage {
  readonly contender: Contender;
  readonly pages: number;
  readonly crawlSeconds: number;
  /** From the start of the process to its end. */
  readonly processSeconds: number;
}

/** How a crawl is begun. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  readonly concurrency: number;
  /** The interpreter that has Scrapy. */
  readonly python: string;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** How to install a peer that is not there; undefined when nothing is missing. */
export async function missing(contender: Contender, python: string): Promise<string | undefined> {
  switch (contender) {
    case 'crawlee':
      return existsSync(here('../node_modules/@crawlee/cheerio')) ? undefined : 'npm ci --prefix bench';
    case 'scrapy':
      return (await scrapyVersion(python)) === undefined
        ? `pip install ${SCRAPY_REQUIREMENT}, and --scrapy PYTHON if that is not python3`
        : undefined;
    default:
      return undefined;
  }
}

/** Crawls all pages of `court` with an empty data directory, which is removed afterwards. */
export async function measure(contender: Contender, court: Court, options: StartOptions): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), `curlew-bench-${contender}-`));
  try {
    const usageFile = join(directory, 'usage.json');
    const begun = performance.now();
    const stdout = await runToEnd(startOf(contender, court.url, directory, options), usageFile);
    const processSeconds = (performance.now() - begun) / 1000;
    const report = readReport(contender, stdout);
    if (report.pages !== court.pages || report.records !== court.pages) {
      throw new Error(`${contender} found ${report.pages} pages, ${report.records} records instead of ${court.pages}`);
    }
    const usage: Usage = JSON.parse(readFileSync(usageFile, 'utf8'));
    return { contender, pages: report.pages, crawlSeconds: report.seconds, processSeconds, ...usage };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The command that crawls `url` into `directory`: the peers go on with what they find there. */
export function startOf(contender: Contender, url: string, directory: string, options: StartOptions): Start {
  const first = `${url}/graph/0`;
  const concurrency = String(options.concurrency);
  switch (contender) {
    case 'curlew': {
      const site = ['--base-url', url, '--allow-host', new URL(url).host];
      const manner = ['--rate', 'off', '--concurrency', concurrency, '--data', join(directory, 'data'), '--json'];
      return node(here('../../bin/curlew.js'), 'run', here('graph-scraper.ts'), ...site, ...manner);
    }
    case 'bare':
      return node(here('bare.ts'), first, directory, concurrency);
    case 'crawlee':
      return {
        ...node(here('crawlee.js'), first, concurrency),
        env: { CRAWLEE_STORAGE_DIR: join(directory, 'storage') },
      };
    case 'scrapy':
      return { command: options.python, args: [here('graph_spider.py'), first, directory, concurrency] };
  }
}

/** A script on this Node. */
function node(...args: readonly string[]): Start {
  return { command: process.execPath, args };
}

/** Gives what it printed; throws, with what it said, when it fails. Scrapy's script reports its usage by itself. */
async function runToEnd({ command, args, env }: Start, usageFile: string): Promise<string> {
  const preload = command === process.execPath ? ['--import', here('report-usage.js')] : [];
  const { stdout } = await promisify(execFile)(command, [...preload, ...args], {
    env: { ...process.env, ...env, BENCH_USAGE_FILE: usageFile },
  });
  return stdout;
}

function readReport(contender: Contender, stdout: string): CrawlReport {
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (contender !== 'curlew') return last;
  return { pages: last.requests.done, records: last.records, seconds: last.seconds };
}
