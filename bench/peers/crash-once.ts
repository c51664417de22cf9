// One crawl that is stopped halfway and resumed, each time in a real process, and what is left of it. The site's own log
// says what was asked for; what a crawler says of itself is not believed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { type Contender, type Start, type StartOptions, startOf } from '../throughput/contender.ts';
import { CURLEW, readOutput } from './read-output.ts';

/** Long enough for every lock and every wait that a crawler may have to sit out. */
const RESUME_LIMIT_MS = 600_000;
/** For a crawler that was asked to stop. */
const STOP_LIMIT_MS = 120_000;

/** SIGKILL is a crash, SIGINT is Ctrl-C: the crawler may tidy up. */
export type StopSignal = 'SIGKILL' | 'SIGINT';

export interface Crash {
  readonly contender: Contender;
  /** Pages without an item when the resumed crawl has ended. */
  readonly pagesLost: number;
  /** Items beyond the first of a page. */
  readonly itemsTwice: number;
  /** Requests beyond the first for a page. What was in flight when it was stopped may have to be asked for again. */
  readonly pagesFetchedTwice: number;
  /** Files or lines of the output that cannot be read. */
  readonly tornFiles: number;
  /** Of the resumed crawl; null if it had to be stopped. */
  readonly exitCode: number | null;
  /** From the start of the resumed process to its first request for a page; null if there was none. */
  readonly secondsToFirstPage: number | null;
  /** From the start of the resumed process to its end. */
  readonly secondsToEnd: number;
}

export interface CrashOptions extends StartOptions {
  readonly pages: number;
  readonly signal: StopSignal;
}

export async function crashOnce(contender: Contender, options: CrashOptions): Promise<Crash> {
  const { pages } = options;
  const directory = mkdtempSync(join(tmpdir(), `curlew-crash-${contender}-`));
  const court = await startCourt({ graphPages: pages });
  try {
    await crawlUntilHalf(startOf(contender, court.url, directory, options), court, options);
    const resumed = await resume(resumeOf(contender, court.url, directory, options), court);
    const { titles, torn } = await readOutput(contender, directory);
    const found = new Set(titles);
    const asked = pagesAsked(court);
    return {
      contender,
      pagesLost: pages - found.size,
      itemsTwice: titles.length - found.size,
      pagesFetchedTwice: asked.length - new Set(asked).size,
      tornFiles: torn,
      ...resumed,
    };
  } finally {
    await court.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Each by its own documentation: Crawlee keeps its storage if it is told so, Scrapy goes on with its JOBDIR. */
function resumeOf(contender: Contender, url: string, directory: string, options: StartOptions): Start {
  const again = startOf(contender, url, directory, options);
  switch (contender) {
    case 'curlew':
      return { ...again, args: [CURLEW, 'resume', 'latest', '--data', join(directory, 'data'), '--json'] };
    case 'crawlee':
      return { ...again, env: { ...again.env, CRAWLEE_PURGE_ON_START: '0' } };
    default:
      return again;
  }
}

function pagesAsked(court: RunningCourt): string[] {
  return court.log.entries.map(({ path }) => path).filter((path) => path.startsWith('/graph/'));
}

async function crawlUntilHalf(start: Start, court: RunningCourt, { pages, signal }: CrashOptions): Promise<void> {
  const child = spawnCrawl(start);
  const asked = new Set<string>();
  const halfway = court.log.arrival(({ path }) => path.startsWith('/graph/') && asked.add(path).size >= pages / 2);
  const ended = once(child, 'exit');
  await Promise.race([halfway, ended]);
  if (child.exitCode !== null) throw new Error(`${start.command} ended before half of the pages were asked for`);
  child.kill(signal);
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}

async function resume(start: Start, court: RunningCourt) {
  const before = court.log.entries.length;
  const begun = performance.now();
  const secondsSince = () => (performance.now() - begun) / 1000;
  const child = spawnCrawl(start);
  const limit = setTimeout(() => child.kill('SIGKILL'), RESUME_LIMIT_MS);
  let secondsToFirstPage: number | null = null;
  void court.log
    .arrival(({ n, path }) => n > before && path.startsWith('/graph/'))
    .then(() => {
      secondsToFirstPage = secondsSince();
    });
  const [exitCode]: (number | null)[] = await once(child, 'exit');
  clearTimeout(limit);
  return { exitCode: exitCode ?? null, secondsToFirstPage, secondsToEnd: secondsSince() };
}

function spawnCrawl({ command, args, env }: Start): ChildProcess {
  return spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
}
