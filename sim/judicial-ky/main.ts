// Runs judicial.ky and its Box as a process of its own: one line of JSON on stdout when both are ready, a clean stop on
// SIGTERM and SIGINT. Faults, versions, nonces and time are switched over the control URLs.

import { parseArgs } from 'node:util';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { runSite, wholeNumber } from '../command-line.ts';
import { parseLatencyMs } from '../latency.ts';
import { CORPUS_VERSIONS, type CorpusVersion } from './corpus.ts';
import { type JudicialKyOptions, startJudicialKy } from './judicial-ky.ts';

const HELP = `A simulated judicial.ky on 127.0.0.1, with its files on a second port as Box, for demos and tests.

  node sim/judicial-ky/main.ts --port 8080 --cases 4300 --seed 7 --latency 20

  --port N, --box-port N  ports to listen on (0: any free one)                     [0, 0]
  --seed N                everything random follows from it                        [1]
  --cases N               number of cases in v1 of the index, at least 40          [4300]
  --version V             version of the index to begin with: v1, v2 or v3         [v1]
  --latency MS            milliseconds before each answer: 20, or 5-40 for random  [0]
  --compress              send text with br or gzip to clients that accept it
  --no-log                do not keep a log of the requests
  --help                  this text

Prints {"url", "page", "csv", "control", "box", "boxControl", "pid"} when ready. Paths, switches and the control URLs:
see sim/README.md.
`;

const FLAGS = {
  port: { type: 'string', default: '0' },
  'box-port': { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string', default: '4300' },
  version: { type: 'string', default: 'v1' },
  latency: { type: 'string', default: '0' },
  compress: { type: 'boolean', default: false },
  'no-log': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Arguments = JudicialKyOptions & { readonly version: CorpusVersion };

function readArguments(): Arguments | string {
  const { values } = parseArgs({ options: FLAGS });
  if (values.help) return HELP;
  return {
    port: wholeNumber('port', values.port),
    boxPort: wholeNumber('box-port', values['box-port']),
    seed: wholeNumber('seed', values.seed),
    cases: wholeNumber('cases', values.cases),
    version: versionOf(values.version),
    latencyMs: parseLatencyMs(values.latency),
    compress: values.compress,
    log: !values['no-log'],
  };
}

function versionOf(text: string): CorpusVersion {
  const version = CORPUS_VERSIONS.find((one) => one === text);
  if (version !== undefined) return version;
  throw new CurlewError(ErrorCode.usage, `--version should be v1, v2 or v3, not ${JSON.stringify(text)}.`);
}

await runSite(readArguments, async ({ version, ...options }) => {
  const site = await startJudicialKy(options);
  site.travelTo(version);
  const { url, pageUrl, csvUrl, controlUrl, box } = site;
  const line = { url, page: pageUrl, csv: csvUrl, control: controlUrl, box: box.url, boxControl: box.controlUrl };
  return { line, close: () => site.close() };
});
