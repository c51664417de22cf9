// Rows of an index that cannot be read may be cases that nobody knows of: every command says so, and no run is ok by them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { CSV_PATH } from '../../sim/judicial-ky/paths.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer } from '../server/server-setup.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { envOf, latestRun, logOf, SOURCE, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

/** Every case is held, by a good index in which one judgment is announced without a file. */
async function mirrored(): Promise<RunningJudicialKy> {
  const site = await startSite({ cases: 100 });
  await scrape(site, data());
  return site;
}

/** Shows the first version of the index with these rows behind it. */
function append(site: RunningJudicialKy, ...rows: readonly string[]): void {
  const [name = ''] = readdirSync(join(data(), 'csv'));
  const body = `${readFileSync(join(data(), 'csv', name), 'utf8')}${rows.map((row) => `${row}\r\n`).join('')}`;
  const headers = { 'content-type': 'text/csv' };
  site.faults.set({ kind: 'status', status: 200, body, headers, path: CSV_PATH });
}

const TOKEN = 'FSD0999202511062025NEWCASE';
const NO_LETTERS = '[2025] CIGC 998,FSD 0998 OF 2025,2025-Nov-06,A v B,Trusts,Grand Court,Civil,—';
const UNQUOTED = `[2025] CIGC 999,FSD 0999 OF 2025,2025-Nov-06,Smith, Jones and Co,Trusts,Grand Court,Civil,${TOKEN}`;
const ONE_CELL_SHORT = `[2025] CIGC 999,FSD 0999 OF 2025,2025-Nov-06,Smith v Jones,Trusts,Grand Court,${TOKEN}`;
const NEW_CASE = '[2025] CIGC 996,FSD 0996 OF 2025,2025-Nov-06,E v F,Trusts,Grand Court,Civil,FSD0996202511062025EF';
const ANNOUNCED = '[2025] CIGC 997,FSD 0997 OF 2025,2025-Nov-06,C v D,Trusts,Grand Court,Civil,';

describe('rows of an index that cannot be read', () => {
  it('are told by run, sync, report, show and the API, and no run by that index is ok', async () => {
    const site = await mirrored();
    const env = envOf(site);
    expect([(await latestRun(data())).runHealth, (await mirror(data(), ['report'])).code]).toEqual(['ok', 0]);
    append(site, NO_LETTERS, UNQUOTED);

    const said = /2 of 1\d\d rows of the index cannot be read, for example line 1\d\d: invalid token/;
    const run = await startMirror(site, data()).ended;
    const problem = { code: 'index_rows_unreadable', message: expect.stringMatching(said) };
    expect([run.code, jsonIn(run)]).toMatchObject([
      1,
      { status: 'completed', runHealth: 'partial', unreadableRows: problem.message, problems: [problem] },
    ]);
    // The index has not changed since: the rows are as unreadable as before.
    const text = await curlew(['mirror', 'run', '--data', data(), '--rate', 'off', '--allow-host', '127.0.0.1'], {
      env,
    });
    expect([text.code, text.stdout]).toMatchObject([1, expect.stringMatching(new RegExp(`rows +${said.source}`))]);
    expect(text.stdout).toContain('mirror report');
    const plan = await startMirror(site, data(), ['--dry-run']).ended;
    expect([plan.code, jsonIn(plan)]).toMatchObject([1, { problems: [problem] }]);
    const synced = await mirror(data(), ['sync', '--rate', 'off', '--allow-host', '127.0.0.1'], env);
    expect([synced.code, synced.stdout]).toMatchObject([1, expect.stringMatching(said)]);

    const report = await mirror(data(), ['report']);
    expect([report.code, report.stdout]).toMatchObject([1, expect.stringMatching(said)]);
    const json = jsonIn(await mirror(data(), ['report', '--json']));
    expect(json.index).toMatchObject({
      unreadable_rows: { count: 2, line: expect.any(Number), reason: 'invalid token' },
      rows_without_file: { count: 1, line: expect.any(Number) },
    });
    expect((await curlew(['show', '2', '--data', data()])).stdout).toMatch(
      new RegExp(`health partial[\\s\\S]*${said.source}`),
    );
    expect(jsonIn(await mirror(data(), ['run-summary', '--latest', '--json']))).toMatchObject({
      run_health: 'partial',
      unreadable_rows: { count: 2 },
    });

    const server = await openServer(data(), { env });
    expect((await call(server, 'runProblems', { params: { id: 2 } })).json.problems).toMatchObject([
      {
        verdict: 'failed',
        reason: 'index_rows_unreadable',
        count: 2,
        example: { text: /^line 1\d\d: invalid token$/ },
      },
    ]);
    const overview = (await call(server, 'overview')).json;
    expect(overview.indexes).toMatchObject([{ source: SOURCE, state: 'confirmed', unreadable_rows: { count: 2 } }]);
    expect(overview.attention).toContainEqual(
      expect.objectContaining({ source: SOURCE, text: expect.stringMatching(said) }),
    );
    expect((await call(server, 'coverage')).json.index.unreadable_rows).toMatchObject({ count: 2 });
    const { versions } = (await call(server, 'csvVersions')).json;
    expect(versions).toMatchObject([
      { id: 2, unreadable_rows: { count: 2 } },
      { id: 1, unreadable_rows: null },
    ]);
  });

  it('are a token that has slipped into another column, too', async () => {
    const site = await mirrored();
    append(site, ONE_CELL_SHORT);
    const summary = await scrape(site, data(), { mode: 'new' });
    expect(summary.unreadableRows).toMatch(/^1 of 1\d\d rows .*: token in another column/);
    expect((await latestRun(data())).runHealth).toBe('partial');
  });

  it('count among the problems of the run in lists, as on its page', async () => {
    const site = await mirrored();
    append(site, NO_LETTERS, UNQUOTED, NEW_CASE);
    await scrape(site, data(), { mode: 'new', maxRetries: 1 });
    const server = await openServer(data(), { env: envOf(site) });
    const { problems } = (await call(server, 'runProblems', { params: { id: 2 } })).json;
    expect(problems.map(({ reason, count }: { reason: string; count: number }) => [reason, count])).toEqual([
      ['index_rows_unreadable', 2],
      [expect.any(String), 1],
    ]);
    const { runs } = (await call(server, 'overview')).json;
    expect(runs[0]).toMatchObject({ id: 2, counts: { failed: 1 }, otherProblems: 2 });
  });

  it('are gone when the court has mended them', async () => {
    const site = await mirrored();
    append(site, NO_LETTERS);
    expect((await scrape(site, data(), { mode: 'new' })).unreadableRows).toBeDefined();
    site.faults.clear();
    expect((await scrape(site, data(), { mode: 'new' })).unreadableRows).toBeUndefined();
    expect((await latestRun(data())).runHealth).toBe('ok');
  });

  it('have their number in the log', async () => {
    const site = await mirrored();
    append(site, NO_LETTERS, UNQUOTED, ANNOUNCED);
    await scrape(site, data(), { mode: 'new' });
    const plans = logOf(data()).match(/\[PLAN\] .*phase=worklist .*/g) ?? [];
    expect(plans[1]).toMatch(/unreadable_rows=2 rows_without_file=2/);
    expect(plans[1]).not.toContain('***');
  });
});

describe('a judgment that is announced without a file', () => {
  it('is told, and the run is ok: there is nothing to fetch', async () => {
    const site = await mirrored();
    append(site, ANNOUNCED);
    const run = await startMirror(site, data()).ended;
    expect([run.code, jsonIn(run)]).toMatchObject([0, { runHealth: 'ok', problems: [] }]);
    const report = await mirror(data(), ['report']);
    expect([report.code, report.stdout]).toMatchObject([
      0,
      expect.stringMatching(/2 rows of the index announce a case without a file, for example line \d+/),
    ]);
  });
});
