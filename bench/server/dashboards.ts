// What fifty open dashboards cost a crawl at full speed: each has the event stream open and loads the page of the run every
// five seconds. Rounds with and without take turns; the best of each counts, since the machine may have other work.
//   node bench/server/dashboards.ts [pages] [rounds]

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Court, startCourt } from '../throughput/court-process.ts';

const [pages, rounds] = [Number(process.argv[2] ?? 6_000), Number(process.argv[3] ?? 3)];
const DASHBOARDS = 50;
const RELOAD_MS = 5_000;
let serverSeconds = 0;
const home = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(home, 'bin', 'curlew.js');

function start(args: readonly string[], usageFile?: string): ChildProcess {
  const preload = usageFile === undefined ? [] : ['--import', join(home, 'bench', 'throughput', 'report-usage.js')];
  const env = { ...process.env, ...(usageFile !== undefined && { BENCH_USAGE_FILE: usageFile }) };
  return spawn(process.execPath, [...preload, bin, ...args], { stdio: ['ignore', 'pipe', 'ignore'], env });
}

interface Crawled {
  readonly pagesPerSecond: number;
  /** What the crawl itself used: it does not depend on who else works on the machine. */
  readonly cpuMicrosPerPage: number;
}

async function crawl(court: Court, data: string): Promise<Crawled> {
  const scraper = join(home, 'bench', 'throughput', 'graph-scraper.ts');
  const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--data', data];
  const usageFile = join(data, 'usage.json');
  const child = start(['run', scraper, ...where, '--rate', 'off', '--concurrency', '16', '--json'], usageFile);
  const [output] = await Promise.all([text(child), once(child, 'exit')]);
  const { requests, seconds } = JSON.parse(output);
  const { cpuSeconds: used } = JSON.parse(readFileSync(usageFile, 'utf8'));
  return { pagesPerSecond: requests.done / seconds, cpuMicrosPerPage: (used / requests.done) * 1e6 };
}

async function text(child: ChildProcess): Promise<string> {
  let all = '';
  for await (const chunk of child.stdout ?? []) all += chunk;
  return all;
}

async function watched<T>(data: string, work: () => Promise<T>): Promise<T> {
  const server = start(['serve', '--port', '0', '--data', data, '--json']);
  const [line] = await once(server.stdout ?? server, 'data');
  const { url } = JSON.parse(String(line));
  const stop = new AbortController();
  const dashboards = Array.from({ length: DASHBOARDS }, (_, index) => dashboard(url, index, stop.signal));
  try {
    return await work();
  } finally {
    serverSeconds += cpuSeconds(server.pid ?? 0);
    stop.abort();
    await Promise.all(dashboards);
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/** proc(5): user and system time in ticks of 10 ms are fields 14 and 15. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function dashboard(url: string, index: number, signal: AbortSignal): Promise<void> {
  const listen = async () => {
    const stream = await fetch(`${url}/api/events/stream`, { signal });
    for await (const _ of stream.body ?? []) if (signal.aborted) return;
  };
  const load = async () => {
    await setTimeout((index / DASHBOARDS) * RELOAD_MS, undefined, { signal });
    for (;;) {
      for (const path of ['/api/overview', '/api/runs/1', '/api/runs/1/timeline', '/api/runs/1/requests']) {
        await (await fetch(url + path, { signal })).arrayBuffer();
      }
      await setTimeout(RELOAD_MS, undefined, { signal });
    }
  };
  await Promise.allSettled([listen(), load()]);
}

const court = await startCourt(pages, 0);
const [alone, shared]: [Crawled[], Crawled[]] = [[], []];
for (let round = 0; round < rounds; round++) {
  for (const [crawls, wrap] of [
    [alone, (_data: string, work: () => Promise<Crawled>) => work()],
    [shared, watched<Crawled>],
  ] as const) {
    const data = await mkdtemp(join(tmpdir(), 'curlew-bench-'));
    crawls.push(await wrap(data, () => crawl(court, data)));
    await rm(data, { recursive: true });
  }
}
await court.close();

const rates = (crawls: readonly Crawled[]) => crawls.map(({ pagesPerSecond }) => pagesPerSecond);
const cpu = (crawls: readonly Crawled[]) => crawls.map(({ cpuMicrosPerPage }) => cpuMicrosPerPage);
const list = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ');
const lost = (before: number, after: number) => `${((1 - after / before) * 100).toFixed(1)} %`;
const worked = rates(shared).reduce((seconds, rate) => seconds + pages / rate, 0);
console.log(`crawl of ${pages} pages, by round      pages/s                CPU µs a page`);
console.log(`  alone                            ${list(rates(alone)).padEnd(22)} ${list(cpu(alone))}`);
console.log(`  with ${DASHBOARDS} dashboards               ${list(rates(shared)).padEnd(22)} ${list(cpu(shared))}`);
console.log(`  throughput lost, best against best: ${lost(Math.max(...rates(alone)), Math.max(...rates(shared)))}`);
console.log(
  `  the crawl's own CPU, least against least: ${lost(Math.min(...cpu(shared)), Math.min(...cpu(alone)))} more`,
);
console.log(`  the server used ${((serverSeconds / worked) * 100).toFixed(0)} % of one core, its start included`);
