// Runs the court as a process of its own: one line of JSON on stdout when it is ready, a clean stop on SIGTERM and
// SIGINT. Faults and latency are switched over the control URL.

import { parseArgs } from 'node:util';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { runSite, wholeNumber } from '../command-line.ts';
import { parseLatencyMs } from '../latency.ts';
import type { SiteOptions } from '../site.ts';
import { type CourtOptions, startCourt } from './court.ts';
import { parseIdSet } from './id-set.ts';

const HELP = `A simulated court on 127.0.0.1, for demos and tests.

  node sim/court/main.ts --port 0 --highest 500 --holes 120-131,200-204 --seed 7 --latency 20 --pages 2000

  --port N                 port to listen on (0: any free one)                      [0]
  --seed N                 everything random follows from it                        [1]
  --lowest N, --highest N  ids of the cases                                         [1, 500]
  --holes IDS              ids that do not exist, such as 120-131,200,300-          [none]
  --hole-rate SHARE        share of the ids that do not exist either, 0 to 1        [0]
  --sealed IDS             ids that answer 403                                      [none]
  --soft-missing IDS       ids that answer 200 with "Case not found"                [none]
  --redirect-missing IDS   ids that redirect to /search?notfound=1                  [none]
  --latency MS             milliseconds before each answer: 20, or 5-40 for random  [0]
  --pages N                number of pages under /graph/                            [2000]
  --compress               send text with br or gzip to clients that accept it
  --no-log                 do not keep a log of the requests
  --help                   this text

Prints {"url", "control", "pid"} when ready. Paths, faults and the control URL: see sim/README.md.
`;

const FLAGS = {
  port: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  lowest: { type: 'string', default: '1' },
  highest: { type: 'string', default: '500' },
  holes: { type: 'string', default: '' },
  'hole-rate': { type: 'string', default: '0' },
  sealed: { type: 'string', default: '' },
  'soft-missing': { type: 'string', default: '' },
  'redirect-missing': { type: 'string', default: '' },
  latency: { type: 'string', default: '0' },
  pages: { type: 'string', default: '2000' },
  compress: { type: 'boolean', default: false },
  'no-log': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function readArguments(): (CourtOptions & SiteOptions) | string {
  const { values } = parseArgs({ options: FLAGS });
  if (values.help) return HELP;
  return {
    port: wholeNumber('port', values.port),
    seed: wholeNumber('seed', values.seed),
    lowest: wholeNumber('lowest', values.lowest),
    highest: wholeNumber('highest', values.highest),
    holes: parseIdSet(values.holes),
    holeRate: share('hole-rate', values['hole-rate']),
    sealed: parseIdSet(values.sealed),
    softMissing: parseIdSet(values['soft-missing']),
    redirectMissing: parseIdSet(values['redirect-missing']),
    latencyMs: parseLatencyMs(values.latency),
    graphPages: wholeNumber('pages', values.pages),
    compress: values.compress,
    log: !values['no-log'],
  };
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (text !== '' && value >= 0 && value <= 1) return value;
  throw new CurlewError(ErrorCode.usage, `--${name} should be a number from 0 to 1, not ${JSON.stringify(text)}.`);
}

await runSite(readArguments, async (options) => {
  const court = await startCourt(options);
  return { line: { url: court.url, control: court.controlUrl }, close: () => court.close() };
});
