// Steps that do not fit their pages, throw, or yield what they should not: each is told so that its author can mend it,
// and costs its own page only.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const SCRAPER = new URL('scrapers/unlucky.ts', import.meta.url).pathname;
const scratch = scratchDirectory();

let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 3, highest: 12 });
});
afterAll(() => court.close());

async function runEntry(...entries: string[]) {
  const only = entries.flatMap((name) => ['--entry', name]);
  const ended = await curlew([...runArguments(SCRAPER, court, scratch('data')), ...only]);
  const shown = await curlew(['show', 'latest', '--data', scratch('data')]);
  return { ended, summary: summaryIn(ended), shown: shown.stdout };
}

async function records(...options: string[]) {
  const { stdout } = await curlew(['records', 'latest', '--data', scratch('data'), ...options]);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe('a step that fails', () => {
  it('does not fit its page: the message names selector, expected, actual, address and archived body', async () => {
    const { ended, summary, shown } = await runEntry('good', 'misfit');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ status: 'completed', health: 'partial', records: 3, invalid: 0 });
    expect(summary.requests).toMatchObject({ done: 3, failed: 2 });
    // Both pages are wrong in the same way, and so one problem.
    expect(shown).toContain('failed 2×  `table.cases td.number` matches 0 times instead of exactly 1\n');
    expect(shown).toMatch(
      new RegExp(`e\\.g\\. ${court.url}/case/4 \\(archived as sha256:[0-9a-f]{64}\\) \\(unlucky\\.ts:`),
    );
    expect(shown).toContain('There are 2 `table`, but no `table.cases`.');
    expect(await records()).toHaveLength(3);
  });

  it('is named in the summary of the run, as text and in --json', async () => {
    const { summary } = await runEntry('misfit');
    const cause = {
      verdict: 'failed',
      reason: '`table.cases td.number` matches 0 times instead of exactly 1',
      count: 2,
    };
    expect(summary.causes).toMatchObject([cause]);
    const args = [...runArguments(SCRAPER, court, scratch('data')), '--entry', 'misfit'];
    const { stdout } = await curlew(args.filter((part) => part !== '--json'));
    expect(stdout).toContain(`  why       2 failed: ${cause.reason}, e.g. ${court.url}/case/4`);
  });

  it('shows the page that it failed on, as it was fetched', async () => {
    const { shown } = await runEntry('misfit');
    const suggested = /See it: {2}.*curlew\.js (page 1 \S+)/.exec(shown)?.[1] ?? '';
    const page = await curlew([...suggested.split(' '), '--data', scratch('data')]);
    expect(page.code).toBe(0);
    expect(page.stdout).toBe(await (await fetch(`${court.url}/case/4`)).text());
    const sha256 = /archived as (sha256:\S+)\)/.exec(shown)?.[1];
    const head = await curlew(['page', 'latest', `${court.url}/case/4`, '--json', '--data', scratch('data')]);
    expect(JSON.parse(head.stdout)).toMatchObject({
      status: 200,
      archivedAs: sha256,
      bytes: Buffer.byteLength(page.stdout),
    });
  });

  it('throws: the message has the step, what was thrown, and the place', async () => {
    const { ended, summary, shown } = await runEntry('good', 'thrower');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ health: 'partial', records: 3, requests: { done: 3, failed: 1 } });
    expect(shown).toMatch(/failed 1× {2}Unlucky\.throwUp threw: the court has gone mad \(unlucky\.ts:\d+:\d+\)/);
  });

  it('yields something else than requests and records', async () => {
    const { ended, summary, shown } = await runEntry('good', 'nonsense');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ health: 'partial', records: 3, requests: { done: 3, failed: 1 } });
    expect(shown).toContain('Unlucky.yieldNonsense yielded an object (number).');
    expect(shown).toContain('A step yields what get, post, download and record give back.');
  });

  it('is async', async () => {
    const { ended, summary, shown } = await runEntry('good', 'later');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ health: 'partial', records: 3, requests: { done: 3, failed: 1 } });
    expect(shown).toContain('Steps cannot be async.');
  });

  it.each([
    ['returned', 'Unlucky.returnRecord returned a record, which would be lost.', 'yield it'],
    ['delegated', 'Unlucky.returnGenerator returned an iterator, which would be lost.', 'yield* it'],
    ['list', 'Unlucky.yieldList yielded a list.', 'yield* list'],
  ])('loses nothing silently: %s', async (name, said, remedy) => {
    const { ended, summary, shown } = await runEntry('good', name);
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ health: 'partial', records: 3, requests: { done: 3, failed: 1 } });
    expect(shown).toContain(said);
    expect(shown).toContain(remedy);
  });

  it('may give a list back instead of yielding', async () => {
    const { ended, summary } = await runEntry('array');
    expect(ended.code).toBe(0);
    expect(summary).toMatchObject({ health: 'ok', records: 1 });
  });

  it('is the onMiss of a speculator that returns its record', async () => {
    const only = ['--entry', 'missed', '--speculate', 'missed=100..101', '--plus', 'missed=1'];
    const ended = await curlew([...runArguments(SCRAPER, court, scratch('data')), ...only]);
    expect(ended.code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({ records: 0, requests: { failed: 3 } });
    const shown = await curlew(['show', 'latest', '--data', scratch('data')]);
    expect(shown.stdout).toContain('onMiss of Unlucky.missed returned a record, which would be lost.');
  });
});

describe('an entry', () => {
  it.each([
    ['lastReturned', 'Entry lastReturned of Unlucky returned a request, which would be lost.'],
    ['recordInstead', 'Entry recordInstead of Unlucky gave back a record, which is no request.'],
  ])('that gives what would be lost ends the run: %s', async (name, said) => {
    const ended = await curlew([...runArguments(SCRAPER, court, scratch('data')), '--entry', name]);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(said);
  });
});

describe('a record that does not fit its schema', () => {
  it('is kept, with what is wrong with it, and the run is not ok', async () => {
    const { ended, summary, shown } = await runEntry('good', 'invalid');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ health: 'partial', records: 4, invalid: 1, requests: { done: 4, failed: 0 } });
    expect(shown).toContain('records 1 --invalid');
    const [invalid, ...others] = await records('--invalid');
    expect(others).toEqual([]);
    expect(invalid).toMatchObject({ kind: 'case', valid: false, step: 'readStrictly', url: `${court.url}/case/9` });
    expect(invalid.errors).toEqual([{ path: 'number', message: expect.stringContaining('NEVER') }]);
    expect(invalid.data.number).not.toBe('');
  });
});

describe('a run where most goes wrong', () => {
  it('is failed', async () => {
    const { ended, summary } = await runEntry('misfit', 'thrower', 'nonsense');
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ status: 'completed', health: 'failed', records: 0 });
  });
});
