// What a crash costs: each crawler walks the simulated site with its queue on disk, is killed when half of the pages have
// been asked for, and goes on in its own documented way. Then its output is held against the site's log.
//   npx node bench/peers/kill-halfway.ts --help

import { parseArgs } from 'node:util';
import type { Contender } from '../throughput/contender.ts';
import { SCRAPY_REQUIREMENT } from '../throughput/scrapy-version.ts';
import { type Crash, type CrashOptions, crashOnce, type StopSignal } from './crash-once.ts';
import { formatRows } from './format-rows.ts';
import { installedPeers } from './installed-peers.ts';

const HELP = `npx node bench/peers/kill-halfway.ts [options]

  --pages N        pages of the site                                   [2000]
  --concurrency N  requests in flight                                  [32]
  --rounds N       how often each is killed; ranges are shown          [3]
  --signal NAME    SIGKILL: a crash; SIGINT: Ctrl-C, it may tidy up    [SIGKILL]
  --scrapy PYTHON  the interpreter that has Scrapy                     [python3]
  --json           print JSON

Peers have to be installed first: npm ci --prefix bench; pip install ${SCRAPY_REQUIREMENT}
`;

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '2000' },
    concurrency: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
    signal: { type: 'string', default: 'SIGKILL' },
    scrapy: { type: 'string', default: 'python3' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const contenders: Contender[] = ['curlew', ...(await installedPeers(values.scrapy))];
  const options: CrashOptions = {
    pages: Number(values.pages),
    concurrency: Number(values.concurrency),
    python: values.scrapy,
    signal: readSignal(values.signal),
  };
  const crashes: Crash[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const contender of contenders) {
      process.stderr.write(`round ${round}: ${contender}\n`);
      crashes.push(await crashOnce(contender, options));
    }
  }
  process.stdout.write(values.json ? `${JSON.stringify(crashes)}\n` : formatRows(tableOf(crashes)));
}

function readSignal(name: string): StopSignal {
  if (name === 'SIGKILL' || name === 'SIGINT') return name;
  throw new Error(`--signal ${name}: it must be SIGKILL or SIGINT`);
}

/** One row per crawler; where rounds differ, the least and the most. */
function tableOf(crashes: readonly Crash[]): string[][] {
  const rows = [...Map.groupBy(crashes, ({ contender }) => contender)].map(([contender, rounds]) => {
    const range = (pick: (crash: Crash) => number | null, digits = 0) => rangeOf(rounds.map(pick), digits);
    return [
      contender,
      range((crash) => crash.pagesLost),
      range((crash) => crash.itemsTwice),
      range((crash) => crash.pagesFetchedTwice),
      range((crash) => crash.tornFiles),
      range((crash) => crash.exitCode),
      range((crash) => crash.secondsToFirstPage, 1),
      range((crash) => crash.secondsToEnd, 1),
    ];
  });
  const headings = [
    '',
    'pages lost',
    'items twice',
    'fetched twice',
    'torn',
    'exit code',
    'to first page s',
    'to end s',
  ];
  return [headings, ...rows];
}

function rangeOf(values: readonly (number | null)[], digits: number): string {
  const numbers = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((value) => value.toFixed(digits));
  const told = numbers.length === 0 ? [] : [least === most ? `${least}` : `${least}–${most}`];
  return [...told, ...(numbers.length < values.length ? ['none'] : [])].join(', ');
}
