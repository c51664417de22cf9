// Pages per second and memory of a replay with its steps in threads, beside one on a single thread, in turns and in fresh
// processes on copies of one data directory: dockets of 40 KB, of which 20 rows are read.
//   npx node bench/replay/replay.ts [--pages 3000] [--rounds 3] [--check]

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { htmlReply, statusReply } from '../../sim/reply.ts';
import { startSite } from '../../sim/site.ts';

const WAYS = ['alone', 'threads'] as const;
const MOST_MEGABYTES = 250;
const LEAST_RATIO = 1.8;

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    check: { type: 'boolean', default: false },
  },
});
const [pages, rounds] = [Number(values.pages), Number(values.rounds)];
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'curlew-bench-replay-'));
try {
  await archive(join(directory, 'data'));
  const measured = { alone: [] as Measured[], threads: [] as Measured[] };
  for (let round = 0; round < rounds; round++) for (const way of WAYS) measured[way].push(await measure(way));
  const [alone, threads] = [median(measured.alone), median(measured.threads)];
  const ratio = threads.pagesPerSecond / alone.pagesPerSecond;
  process.stdout.write(
    `one thread ${alone.pagesPerSecond.toFixed(0)} pages/s, ${alone.megabytes.toFixed(0)} MB; threads on ` +
      `${availableParallelism()} processors ${threads.pagesPerSecond.toFixed(0)} pages/s, ` +
      `${threads.megabytes.toFixed(0)} MB: ${ratio.toFixed(2)} times (${pages} pages, median of ${rounds})\n`,
  );
  if (values.check && (ratio < LEAST_RATIO || threads.megabytes > MOST_MEGABYTES)) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

interface Measured {
  readonly pagesPerSecond: number;
  readonly megabytes: number;
}

async function archive(data: string): Promise<void> {
  const site = await startSite(
    ({ pathname }) => {
      if (pathname === '/')
        return htmlReply(200, Array.from({ length: pages }, (_, n) => `<a href="/${n}">${n}</a>`).join(''));
      return /^\/\d+$/.test(pathname) ? htmlReply(200, docket(Number(pathname.slice(1)))) : statusReply(404);
    },
    { log: false },
  );
  const where = ['--base-url', site.url, '--allow-host', new URL(site.url).host, '--data', data];
  const run = [here('../../bin/curlew.js'), 'run', here('docket-scraper.ts'), ...where, '--rate', 'off', '--json'];
  await promisify(execFile)(process.execPath, run);
  await site.close();
}

function docket(number: number): string {
  const rows = Array.from(
    { length: 130 },
    (_, row) =>
      `<tr class="${row % 2 ? 'odd' : 'even'}"><td class="number">${row}</td><td class="filed">2026-01-${10 + (row % 20)}</td>` +
      `<td class="title"><a href="/doc/${number}/${row}">Motion ${row} in case ${number}, filed by the defendant &amp; others</a>` +
      `</td><td><span class="judge">Judge ${(number * 7 + row) % 97}</span></td><td>${(number * 31 + row) % 1000}</td></tr>`,
  );
  return `<!doctype html><title>Case ${number}</title><table class="docket"><tbody>${rows.join('\n')}</tbody></table>`;
}

async function measure(way: (typeof WAYS)[number]): Promise<Measured> {
  const data = join(directory, 'copy');
  cpSync(join(directory, 'data'), data, { recursive: true });
  const usageFile = join(directory, 'usage.json');
  const args = ['--import', here('../throughput/report-usage.js'), here('replay-once.ts'), data, way];
  const env = { ...process.env, BENCH_USAGE_FILE: usageFile };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  rmSync(data, { recursive: true });
  const report: { pages: number; records: number; seconds: number } = JSON.parse(stdout);
  if (report.pages !== pages + 1 || report.records !== 20 * pages) throw new Error(`${way} read ${stdout}`);
  const { peakBytes }: { peakBytes: number } = JSON.parse(readFileSync(usageFile, 'utf8'));
  return { pagesPerSecond: report.pages / report.seconds, megabytes: peakBytes / 1e6 };
}

function median(all: readonly Measured[]): Measured {
  const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return {
    pagesPerSecond: middle(all.map(({ pagesPerSecond }) => pagesPerSecond)),
    megabytes: middle(all.map(({ megabytes }) => megabytes)),
  };
}
