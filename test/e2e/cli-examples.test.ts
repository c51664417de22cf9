// The example of every `--help` is run as it stands there, by a shell, in a directory where its files are. Simulated sites
// take the place of the real ones; what they need beyond the example is written here.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { openSiteManager } from '../../src/index.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { readHelp } from './command-help.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const scratch = scratchDirectory();
const helps = new Map((await readHelp()).map((help) => [help.name, help]));

interface Step {
  readonly command: string;
  /** For the simulated site; given after what the example says. */
  readonly more?: string;
  /** Of a command that goes on until it is stopped: what it writes when it may be. */
  readonly until?: string;
  readonly code?: number;
  /** What must be so for the example to make sense. */
  readonly before?: () => unknown;
}

interface Place {
  /** What stands in examples, and what is here instead. */
  readonly instead: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const COURT: readonly string[] = [
  ...['describe', 'run', 'resume', 'runs', 'show', 'records', 'page', 'export', 'replay', 'hosts', 'fetch', 'health'],
  ...['verify', 'manifest', 'serve'],
];
const SITES = ['sites', 'sites run', 'sites status', 'sites commit', 'sites resume', 'sites proxies', 'sites discard'];
const LETTERS = ['dead-letters list', 'dead-letters requeue', 'dead-letters drop', 'dead-letters'];
const FETCHER = ['enqueue', 'fetcher', 'tail', ...LETTERS];
const MIRROR = [
  ...['sync', 'run', 'verify', 'report', 'export', 'runs', 'run-summary', 'explain', 'diff', 'replay', 'health'],
  'config',
].map((name) => `mirror ${name}`);

/** Run by tests of their own, since one stays until it is stopped and one takes its time: court.test.ts, demo.test.ts. */
const ELSEWHERE = ['court', 'demo'];

it('no command is left out', () => {
  const run = [...COURT, ...SITES, ...FETCHER, 'mirror', ...MIRROR, ...ELSEWHERE];
  expect(run.sort()).toEqual([...helps.keys()].sort());
});

const living = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of living) child.kill('SIGKILL');
  await Promise.all([...living].map((child) => once(child, 'exit')));
});

/** Runs the examples of a command, each as one line of a shell. */
async function runExamples(step: Step, place: Place): Promise<void> {
  await step.before?.();
  for (const example of helps.get(step.command)?.examples ?? []) {
    const here = Object.entries(place.instead).reduce((text, [from, to]) => text.replaceAll(from, to), example);
    const [line = '', pipe] = here.split(/(?= \| )/);
    const command = `'${process.execPath}' '${join(HOME, 'bin', 'curlew.js')}' ${line} ${step.more ?? ''}`;
    const ended = await runLine(step.until === undefined ? `${command} ${pipe ?? ''}` : `exec ${command}`, step, place);
    expect({ example, ...ended }).toMatchObject({ example, code: step.code ?? 0 });
    expect(ended.stderr).not.toMatch(/Warning|\n {4}at /);
  }
}

async function runLine(line: string, { until }: Step, { env }: Place) {
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
    cwd: scratch(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  const said = { stdout: '', stderr: '' };
  let stopped = false;
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      said[stream] += text;
      if (until === undefined || stopped || !said[stream].includes(until)) return;
      stopped = true;
      child.kill('SIGINT');
    });
  }
  const [code] = await once(child, 'close');
  living.delete(child);
  return { code, ...said };
}

describe('the examples of', () => {
  it('runs, records, pages and the dashboard', async () => {
    const court = closing(await startCourt({ seed: 2, highest: 20 }));
    const scraper = await readFile(join(HOME, 'examples', 'county-court.ts'), 'utf8');
    const here = scraper.replaceAll('http://127.0.0.1:8017', court.url);
    for (const name of ['court.ts', 'court-fixed.ts']) await writeFile(scratch(name), here);
    await writeFile(scratch('urls.txt'), `${court.url}/case/1\n`);
    await mkdir(scratch('scrapers'));
    const open = `--rate off --allow-host ${new URL(court.url).host}`;
    // The court has been open since 2024, and has no case 17 on its lists.
    const [first] = court.expectedCases();
    const instead = {
      'https://court.example/case/17': `${court.url}/case/${first?.id}`,
      'https://court.example': court.url,
      'since=2026': 'since=2024',
      '--port 8080': '--port 0',
    };
    const steps: Record<string, Omit<Step, 'command'>> = {
      run: { more: open },
      resume: { more: open },
      fetch: { more: open },
      serve: { until: 'Curlew is on http://127.0.0.1:' },
    };
    const place = { instead, env: { BAILIIKC_MIN_FREE_MB: '1' } };
    for (const command of COURT) await runExamples({ command, ...steps[command] }, place);
  });

  it('sites', async () => {
    const court = closing(await startCourt({ seed: 2, highest: 20 }));
    const site = await readFile(join(HOME, 'examples', 'listing-site.ts'), 'utf8');
    await writeFile(scratch('listing-site.ts'), site.replaceAll('http://127.0.0.1:8017', court.url));
    const more = `--rate off --allow-host ${new URL(court.url).host}`;
    async function walkByHand(): Promise<void> {
      const list = `${court.url}/list/civil`;
      const collectedUrls = court.expectedCases().map(({ id }) => `${court.url}/case/${id}`);
      const manager = await openSiteManager({ data: scratch('curlew-data') });
      await manager.startPagination('court.example', [list]);
      await manager.updatePaginationState(list, { collectedUrls, completed: true });
      await manager.close();
    }
    const steps: Record<string, Omit<Step, 'command'>> = {
      sites: { more },
      'sites run': { more },
      'sites commit': { before: walkByHand },
      'sites resume': { more },
      'sites discard': { before: walkByHand },
    };
    for (const command of SITES) await runExamples({ command, ...steps[command] }, { instead: {} });
  });

  it('the fetcher', async () => {
    const court = closing(await startCourt({ seed: 2, highest: 20 }));
    await writeFile(scratch('urls.txt'), `${court.url}/case/999\n`);
    const steps: Record<string, Omit<Step, 'command'>> = {
      fetcher: { until: '/case/999' },
      tail: { until: '"content":' },
    };
    const env = {
      PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1',
      PAGE_FETCHER_RATE_LIMIT_PER_SECOND: 'off',
      PAGE_FETCHER_METRICS_PORT: '0',
    };
    const place = { instead: { 'https://court.example': court.url }, env };
    for (const command of FETCHER) await runExamples({ command, ...steps[command] }, place);
  });

  it('the mirror', async () => {
    const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
    const more = '--rate off --allow-host 127.0.0.1';
    const run = `${more} --delay 0`;
    const [wanted] = site.corpus.wanted('v1');
    const travel = async () => {
      site.travelTo('v2');
      await runExamples({ command: 'mirror sync', more }, place);
    };
    const steps: Record<string, Omit<Step, 'command'>> = {
      'mirror sync': { more },
      'mirror run': { more: run },
      'mirror diff': { before: travel },
      mirror: { more: run },
    };
    const place = {
      instead: { FSD0151202511062025ATPLIFESCIENCE: wanted?.token ?? '' },
      env: {
        BAILIIKC_UJ_BASE_URL: site.url,
        BAILIIKC_UJ_FILE_HOSTS: site.boxUrl,
        BAILIIKC_MIN_FREE_MB: '1',
        BAILIIKC_RECORD_REPLAY_FIXTURES: '1',
        PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS: '0',
      },
    };
    for (const command of [...MIRROR, 'mirror']) await runExamples({ command, ...steps[command] }, place);
  });
});
