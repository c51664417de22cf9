// What became of a site is continued and not begun again, from the command line, on processes that are really killed.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, resultIn, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { pages, pagesAsked } from './court-site.ts';

const SITE = fileURLToPath(new URL('../../examples/listing-site.ts', import.meta.url));
const scratch = scratchDirectory();

const data = () => ['--data', scratch('data')];
const runSite = (court: RunningCourt, ...more: string[]) => {
  const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host];
  return ['sites', 'run', SITE, ...where, '--rate', 'off', ...data(), '--json', ...more];
};
const linesIn = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const runs = async () => linesIn(await curlew(['runs', ...data(), '--json']));

async function smallCourt(): Promise<RunningCourt> {
  const lists = ['civil', 'criminal'].map((name, index) => ({ name, cases: pages(1 + index * 30, 25 + index * 30) }));
  return closing(await startCourt({ lists }));
}

/** A run of the site that was killed while its items were read. */
async function killedAmongItems(court: RunningCourt): Promise<void> {
  const fault = court.faults.set({ kind: 'hold', path: '/case/' });
  const life = startCurlew(runSite(court));
  await court.log.arrival(({ path }) => path.startsWith('/case/'));
  life.kill('SIGKILL');
  expect((await life.ended).signal).toBe('SIGKILL');
  await court.faults.clear(fault);
}

describe('sites run after a kill among the items', () => {
  it('continues the run that was committed, says so, and walks nothing', async () => {
    const court = await smallCourt();
    await killedAmongItems(court);
    expect(await runs()).toMatchObject([{ run: 1, state: 'killed' }]);
    const before = court.log.entries.length;
    const ended = await curlew(runSite(court));
    expect(ended.stderr).toContain('run 1 of court.example is killed, not completed: continuing it');
    expect(resultIn(ended)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: 50, pending: 0 } });
    expect(pagesAsked(court, before)).toEqual({});
    expect(await runs()).toHaveLength(1);
    // A run that is completed is over: the lists are walked again.
    await curlew(runSite(court));
    expect(await runs()).toHaveLength(2);
  });

  it('walks the lists again when it is told to', async () => {
    const court = await smallCourt();
    await killedAmongItems(court);
    const before = court.log.entries.length;
    expect((await curlew(runSite(court, '--new-walk'))).code).toBe(0);
    expect(pagesAsked(court, before)).toEqual({ civil: [1, 2], criminal: [1, 2] });
    expect((await runs()).map(({ run, state }) => [run, state])).toEqual([
      [2, 'completed'],
      [1, 'killed'],
    ]);
  });
});

describe('a run that was committed and never started', () => {
  it('is not called killed, and is continued by what its hint says', async () => {
    const court = await smallCourt();
    // 4 pages are saved; the fifth time it is the commit.
    const { signal } = await curlew(runSite(court), { env: { CURLEW_CRASH_AT: 'before-commit:5' } });
    expect(signal).toBe('SIGKILL');
    const committed = await curlew(['sites', 'commit', 'court.example', ...data()]);
    const [, hint = ''] = /next +(.*)/.exec(committed.stdout) ?? [];
    expect(hint).toMatch(/^node \S*bin\/curlew\.js resume 1 --data /);
    expect(await runs()).toMatchObject([{ run: 1, state: 'not_started' }]);
    const { stdout } = await curlew(['show', '1', ...data()]);
    expect(stdout).toMatch(/Run 1 of court\.example: not started/);
    expect(stdout).not.toContain('killed');
    const ended = await curlew([...hint.split(' ').slice(2), '--json']);
    expect(resultIn(ended)).toMatchObject({ exitCode: 0, requests: { done: 50 } });
  });
});

describe('the hint of a walk that is not complete', () => {
  it('names a command that works when it is pasted', async () => {
    const court = await smallCourt();
    const fault = court.faults.set({ kind: 'status', status: 404, path: '/list/civil?page=2' });
    const ended = await curlew(runSite(court));
    const [, hint = ''] = /continue with (node .*)/.exec(ended.stderr) ?? [];
    expect(hint).toMatch(/^node \S*bin\/curlew\.js sites resume --data \S+ court\.example$/);
    await court.faults.clear(fault);
    const resumed = await curlew([...hint.split(' ').slice(2), '--json']);
    expect(resultIn(resumed)).toMatchObject({ exitCode: 0, requests: { done: 50 } });
  });
});
