// One crawl in a process and a data directory of its own, measured from outside. A crawl that did not find every page
// exactly once has no figures: it throws.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Court } from './court-process.ts';

export const CONTENDERS = ['curlew', 'bare', 'crawlee'] as const;
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

interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** False for a peer that has not been installed. */
export function isInstalled(contender: Contender): boolean {
  return contender !== 'crawlee' || existsSync(here('../node_modules/@crawlee/cheerio'));
}

/** Crawls all pages of `court` with an empty data directory, which is removed afterwards. */
export async function measure(contender: Contender, court: Court, concurrency: number): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), `curlew-bench-${contender}-`));
  try {
    const usageFile = join(directory, 'usage.json');
    const begun = performance.now();
    const stdout = await runNode(start(contender, court.url, directory, concurrency), usageFile);
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

function start(contender: Contender, url: string, directory: string, concurrency: number): Start {
  const first = `${url}/graph/0`;
  switch (contender) {
    case 'curlew': {
      const site = ['--base-url', url, '--allow-host', new URL(url).host];
      const manner = [
        '--rate',
        'off',
        '--concurrency',
        String(concurrency),
        '--data',
        join(directory, 'data'),
        '--json',
      ];
      return { args: [here('../../bin/curlew.js'), 'run', here('graph-scraper.ts'), ...site, ...manner] };
    }
    case 'bare':
      return { args: [here('bare.ts'), first, directory, String(concurrency)] };
    case 'crawlee':
      return {
        args: [here('crawlee.js'), first, String(concurrency)],
        env: { CRAWLEE_STORAGE_DIR: join(directory, 'storage') },
      };
  }
}

/** Runs a script on this Node and gives what it printed; throws, with what it said, when it fails. */
async function runNode({ args, env }: Start, usageFile: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', here('report-usage.js'), ...args], {
    env: { ...process.env, ...env, BENCH_USAGE_FILE: usageFile },
  });
  return stdout;
}

function readReport(contender: Contender, stdout: string): CrawlReport {
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (contender !== 'curlew') return last;
  return { pages: last.requests.done, records: last.records, seconds: last.seconds };
}
