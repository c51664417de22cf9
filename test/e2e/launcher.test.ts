// bin/curlew.js on a Node that is too old: it finds the one of the project, and from outside the two are one process.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resumeArguments, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const COUNTY_COURT = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));
const scratch = scratchDirectory();

/** A Node of the system that Curlew cannot run on. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .find((node) => /^v(1\d|2[0-3])\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''));

beforeEach(({ skip }) => {
  if (oldNode === undefined) skip('there is no old Node on the path');
});

function launch(args: readonly string[], bin = BIN) {
  const child = spawn(oldNode ?? '', [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  /** Resolves when Curlew has written this to standard error. */
  const says = async (text: string) => {
    while (!stderr.includes(text)) await once(child.stderr, 'data');
  };
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { child, says, ended };
}

describe('the launcher', () => {
  it('hands on arguments, output and exit code', async () => {
    const court = closing(await startCourt({ highest: 20 }));
    const { code, stdout } = await launch(runArguments(COUNTY_COURT, court, scratch('data'))).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', health: 'ok' });
    expect((await launch(['nope']).ended).code).toBe(2);
  });

  it('says what to install where there is no newer Node', async () => {
    await mkdir(scratch('bin'));
    await cp(BIN, scratch('bin', 'curlew.mjs'));
    const { code, stderr } = await launch(['--help'], scratch('bin', 'curlew.mjs')).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^curlew needs Node 24 or newer, and this is Node \d+/);
    expect(stderr).toContain('npm install --save-dev node@24');
  });

  it.for(['SIGINT', 'SIGTERM'] as const)('hands on %s, so that the run ends gently', async (signal) => {
    const court = closing(await startCourt({ highest: 60 }));
    court.faults.set({ kind: 'hold', path: '/case/' });
    const { child, says, ended } = launch(runArguments(COUNTY_COURT, court, scratch('data')));
    await court.log.arrival(({ path }) => path.startsWith('/case/'));
    child.kill(signal);
    await says('stopping after what is on the wire');
    await court.faults.clear();
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted' });
  });

  it('takes Curlew with it when it is killed, so that the run can be resumed at once', async () => {
    const court = closing(await startCourt({ highest: 60 }));
    court.faults.set({ kind: 'hold', path: '/case/', after: 10 });
    const { child, ended } = launch([...runArguments(COUNTY_COURT, court, scratch('data')), '--concurrency', '2']);
    await court.log.arrival(({ n }) => n === 20);
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    await court.faults.clear();
    const resumed = await curlew(resumeArguments(scratch('data')));
    expect(resumed).toMatchObject({ code: 0 });
    expect(summaryIn(resumed).records).toBe(court.expectedCases().length + court.expectedDocuments().length);
  });
});
