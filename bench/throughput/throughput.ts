// Pages per second and memory of Curlew beside its peers, on a simulated site on loopback: pages of 2 KB with ten links.
// Contenders run one after the other in fresh processes with empty data directories, in turns, and medians are shown.
//   npx node bench/throughput/throughput.ts --help

import { parseArgs } from 'node:util';
import { compareWithBars } from './bars.ts';
import { CONTENDERS, type Contender, type Measured, measure, missing } from './contender.ts';
import { startCourt } from './court-process.ts';
import { summarise } from './figures.ts';
import { formatTable } from './format-table.ts';
import { SCRAPY_REQUIREMENT } from './scrapy-version.ts';

const HELP = `npx node bench/throughput/throughput.ts [options]

  --pages N          pages of the site                                        [20000]
  --peer-pages N     at most so many for Crawlee and Scrapy, which take longer [2000]
  --concurrency N    requests in flight                                       [32]
  --latency MS       milliseconds before each answer of the site              [0]
  --only LIST        of curlew, bare, crawlee, scrapy                         [all]
                     (with latency: all but crawlee)
  --scrapy PYTHON    the interpreter that has Scrapy                          [python3]
  --rounds N         how often each is measured                               [3]
  --json             print JSON
  --check            exit 1 if a bar is missed

Peers have to be installed first: npm ci --prefix bench; pip install ${SCRAPY_REQUIREMENT}
`;

const PEERS: readonly Contender[] = ['crawlee', 'scrapy'];

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    'peer-pages': { type: 'string', default: '2000' },
    concurrency: { type: 'string', default: '32' },
    latency: { type: 'string', default: '0' },
    only: { type: 'string' },
    scrapy: { type: 'string', default: 'python3' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const [pages, concurrency, latencyMs] = [Number(values.pages), Number(values.concurrency), Number(values.latency)];
  const chosen = await readContenders(values.only, latencyMs);
  const measured: Measured[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const crawl of plan(chosen, pages, latencyMs)) {
      process.stderr.write(`round ${round}: ${crawl.contender}, ${crawl.pages} pages\n`);
      measured.push(await measureOnce(crawl, concurrency, latencyMs));
    }
  }
  const figures = summarise(measured);
  const bars = compareWithBars(figures, { pages, concurrency, latencyMs });
  process.stdout.write(
    values.json ? `${JSON.stringify({ concurrency, latencyMs, figures, bars })}\n` : formatTable(figures, bars),
  );
  if (values.check && (bars.length === 0 || bars.some((bar) => !bar.met))) process.exitCode = 1;
}

interface Crawl {
  readonly contender: Contender;
  readonly pages: number;
}

/** One round. Curlew also crawls a quarter of the pages, to see that its memory does not grow with them. */
function plan(chosen: readonly Contender[], pages: number, latencyMs: number): Crawl[] {
  const crawls = chosen.map((contender) => ({
    contender,
    pages: PEERS.includes(contender) ? Math.min(pages, Number(values['peer-pages'])) : pages,
  }));
  if (chosen.includes('curlew') && latencyMs === 0) crawls.push({ contender: 'curlew', pages: Math.ceil(pages / 4) });
  return crawls;
}

async function measureOnce({ contender, pages }: Crawl, concurrency: number, latencyMs: number): Promise<Measured> {
  const court = await startCourt(pages, latencyMs);
  try {
    return await measure(contender, court, { concurrency, python: values.scrapy });
  } finally {
    await court.close();
  }
}

/** Those named with --only must be installed; of the others, those that are not are left out. */
async function readContenders(only: string | undefined, latencyMs: number): Promise<Contender[]> {
  const names = only?.split(',') ?? CONTENDERS.filter((name) => latencyMs === 0 || name !== 'crawlee');
  const chosen: Contender[] = [];
  for (const name of names) {
    const contender = CONTENDERS.find((known) => known === name);
    if (contender === undefined) throw new Error(`--only ${name}: it must be of ${CONTENDERS.join(', ')}`);
    const remedy = await missing(contender, values.scrapy);
    if (remedy === undefined) chosen.push(contender);
    else if (only === undefined) process.stderr.write(`${contender} is skipped, it is not installed: ${remedy}\n`);
    else throw new Error(`${contender} is not installed: ${remedy}`);
  }
  return chosen;
}
