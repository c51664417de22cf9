// A data directory with something on every page of the dashboard: runs that went well, that were refused, that were killed
// and that go on; a site half walked; a mirror with gaps; dead letters. Made by real commands on simulated courts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { deadLetter, deadLetterLine } from '../../src/fetcher/dead-letter.ts';
import { FetcherLedger } from '../../src/ledger/fetcher/fetcher-ledger.ts';
import { packageRoot } from '../../src/platform/version.ts';

const HOUR_MS = 3_600_000;
/** About half of the court has been read by then. */
const KILLED_AFTER = 150;

export interface Scenario {
  /** Runs by what they are good for. */
  readonly runs: Readonly<Record<'walked' | 'lists' | 'sites' | 'mirror' | 'killed' | 'going', number>>;
  /** The address of a case whose file could not be had. */
  readonly failedCase: string;
  /** Ends the run that goes on, and the courts. */
  close(): Promise<void>;
}

/** They run at the same time as far as one does not need another: most of them mostly wait. */
export async function makeScenario(data: string): Promise<Scenario> {
  const courts: { close(): Promise<unknown> }[] = [];
  const court = async (...options: Parameters<typeof startCourt>) => {
    const started = await startCourt(...options);
    courts.push(started);
    return started;
  };

  const numbered = await court({
    seed: 7,
    highest: 430,
    holes: [
      [120, 131],
      [200, 204],
      [310, 349],
    ],
    sealed: [[260, 267]],
  });
  numbered.faults.set({ kind: 'status', status: 500, path: /^\/case\/88$/ });
  const walked = curlew([
    'run',
    'examples/numbered-cases.ts',
    '--speculate',
    'byNumber=1..400',
    ...where(numbered, data),
  ]);
  // Requests are numbered over all runs. The others begin later, so that the 88th is the one that fails.
  await numbered.log.arrival(({ path }) => path === '/case/88');

  const slow = await court({ seed: 5, highest: 4_700, latencyMs: 350, holes: [[31, 44]], sealed: [[70, 74]] });
  const range = ['--speculate', 'byNumber=1..4600', '--concurrency', '4'];
  const going = curlew(['run', 'examples/numbered-cases.ts', ...range, ...where(slow, data)]);

  const [{ lists, sites, killed }, { mirror, failedCase }] = await Promise.all([
    readLists(court, data),
    mirrorWithGaps(courts, data),
    walked.over,
    slow.log.arrival(({ n }) => n > 250),
  ]);
  giveUp(data);
  return {
    runs: { walked: await walked.run, lists, sites, mirror, killed, going: await going.run },
    failedCase,
    async close() {
      going.kill();
      await going.over;
      for (const site of courts) await site.close();
    },
  };
}

type OpenCourt = (...options: Parameters<typeof startCourt>) => Promise<RunningCourt>;

async function readLists(court: OpenCourt, data: string): Promise<Record<'lists' | 'sites' | 'killed', number>> {
  const whole = await court({ seed: 3, highest: 240 });
  const lists = curlew(['run', 'examples/county-court.ts', ...where(whole, data)]);
  await lists.over;
  const killed = killHalfway(await court({ seed: 6, highest: 240 }), data);
  const sites = curlew(['sites', 'run', 'examples/listing-site.ts', ...where(whole, data)]);
  await sites.over;
  const broken = await court({ seed: 4, highest: 240 });
  broken.faults.set({ kind: 'status', status: 500, path: /^\/list\/criminal\?page=4/ });
  await curlew(['sites', 'run', 'examples/listing-site.ts', ...where(broken, data)]).over;
  return { lists: await lists.run, sites: await sites.run, killed: await killed };
}

async function mirrorWithGaps(
  courts: { close(): Promise<unknown> }[],
  data: string,
): Promise<{ readonly mirror: number; readonly failedCase: string }> {
  const judicialKy = await startJudicialKy({ seed: 7, cases: 320 });
  courts.push(judicialKy);
  const [lost] = judicialKy.corpus.wanted('v1');
  if (lost === undefined) throw new Error('The simulated court has no cases.');
  judicialKy.switchOn('pdf-404', { token: lost.token });
  judicialKy.switchOn('pdf-404', { rate: 0.2 });
  judicialKy.switchOn('ajax-refused', { rate: 0.1 });
  const args = ['mirror', 'run', '--rate', 'off', '--delay', '0', '--concurrency', '4', '--allow-host', '127.0.0.1'];
  const env = {
    BAILIIKC_UJ_BASE_URL: judicialKy.url,
    BAILIIKC_UJ_FILE_HOSTS: judicialKy.boxUrl,
    BAILIIKC_MIN_FREE_MB: '1',
  };
  const mirror = curlew([...args, '--data', data], env);
  await mirror.over;
  const sync = ['mirror', 'sync', '--rate', 'off', '--allow-host', '127.0.0.1', '--data', data];
  // A second version that is used, and a third that is refused.
  judicialKy.travelTo('v2');
  await curlew(sync, env).over;
  judicialKy.switchOn('csv-html');
  await curlew(sync, env).over;
  return { mirror: await mirror.run, failedCase: `/cases/unreported_judgments/${lost.norm}` };
}

function where(court: RunningCourt, data: string): string[] {
  return ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--rate', 'off', '--data', data];
}

async function killHalfway(court: RunningCourt, data: string): Promise<number> {
  const command = curlew(['run', 'examples/county-court.ts', ...where(court, data), '--concurrency', '2']);
  await Promise.race([court.log.arrival(({ n }) => n > KILLED_AFTER), command.over]);
  command.kill();
  await command.over;
  return command.run;
}

function giveUp(data: string): void {
  const ledger = FetcherLedger.open(data);
  const at = Date.now();
  const reasons = [
    ['url_specific', 404, 'records.example'],
    ['url_specific', 410, 'records.example'],
    ['too_many_attempts', 500, 'archive.example'],
  ] as const;
  ledger.transaction(() => {
    for (let n = 0; n < 42; n++) {
      const [reason, status, host] = reasons[n % reasons.length] ?? reasons[0];
      const url = `https://${host}/opinions/2026/${1000 + n}`;
      const letter = deadLetter({
        url,
        reason,
        status,
        attempts: 3,
        first: at - HOUR_MS - n * 7_000,
        last: at - n * 7_000,
      });
      ledger.deadLetters.add({ url, host, reason, line: deadLetterLine(letter) });
    }
  });
  ledger.close();
}

interface Command {
  /** The number of its run, as it says when it begins. Rejects when it ends without one. */
  readonly run: Promise<number>;
  readonly over: Promise<unknown>;
  kill(): void;
}

function curlew(args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'curlew.js'), ...args], {
    cwd: packageRoot(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const run = runOf(child.stderr, args);
  run.catch(() => {}); // Of a walk that is not committed nobody asks for it.
  return { run, over: once(child, 'exit'), kill: () => void child.kill('SIGKILL') };
}

function runOf(output: Readable, args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  output.setEncoding('utf8');
  output.on('data', (chunk: string) => {
    said += chunk;
    const [, run] = /\brun (\d+),/.exec(said) ?? [];
    if (run !== undefined) resolve(Number(run));
  });
  output.on('end', () => reject(new Error(`curlew ${args.join(' ')} began no run: ${said}`)));
  return promise;
}
