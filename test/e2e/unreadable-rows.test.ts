// One value in the ledger that is no JSON stops nothing but the work that needs it: lists and pages show it as unreadable.

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { envOf } from '../mirror/scrape-setup.ts';
import { type Answer, call, openServer, type TestServer } from '../server/server-setup.ts';

const scratch = scratchDirectory();
const data = () => ['--data', scratch('data')];
const BROKEN = '{"seed": tru';

/** As a bad disk or a careless person would. */
function damage(...statements: string[]): void {
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'));
  for (const statement of statements) expect(database.prepare(statement).run(BROKEN).changes).toBeGreaterThan(0);
  database.close();
}

/** A scraper's run, a fetch and a run of the mirror. */
async function threeRuns(): Promise<void> {
  const court = await startCourt({ highest: 20 });
  const site = await startJudicialKy({ seed: 7, cases: 40 });
  const open = ['--rate', 'off', '--allow-host', '127.0.0.1', '--json', ...data()];
  try {
    expect((await curlew(runArguments('examples/numbered-cases.ts', court, scratch('data')))).code).toBe(0);
    expect((await curlew(['fetch', `${court.url}/case/1`, ...open])).code).toBe(0);
    const mirror = await curlew(['mirror', 'run', '--limit', '2', '--delay', '0', ...open], { env: envOf(site) });
    expect(mirror.code).toBe(0);
  } finally {
    await court.close();
    await site.close();
  }
}

const linesOf = (text: string) => text.trim().split('\n');

describe('a value that is no JSON', () => {
  it('in the parameters of runs is shown as such by runs, show, mirror runs and serve', async () => {
    await threeRuns();
    damage('UPDATE runs SET params_json = ?');
    const runs = await curlew(['runs', ...data()]);
    expect([runs.code, runs.stderr]).toEqual([0, '']);
    for (const run of [1, 2, 3]) expect(runs.stdout).toContain(`Run ${run}: its params_json cannot be read.`);
    const listed = linesOf((await curlew(['runs', '--json', ...data()])).stdout).map((line) => JSON.parse(line));
    expect(listed.map(({ run, unreadable }) => [run, unreadable])).toEqual(
      [3, 2, 1].map((run) => [run, ['params_json']]),
    );
    const shown = await curlew(['show', '1', ...data()]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('params_json cannot be read')]);
    const mirror = linesOf((await curlew(['mirror', 'runs', '--json', ...data()])).stdout);
    expect(JSON.parse(mirror[0] ?? '').error_summary).toContain('params_json cannot be read');
    const table = await curlew(['mirror', 'runs', ...data()]);
    expect([table.code, table.stdout]).toEqual([0, expect.stringContaining('cannot be read')]);

    const server = await openServer(scratch('data'));
    const { rows } = (await call(server, 'listRuns')).json;
    expect(rows.map(({ error }: { error: string }) => error)).toEqual(
      Array(3).fill('Its params_json cannot be read: not JSON.'),
    );
    const { run } = (await call(server, 'run', { params: { id: 1 } })).json;
    expect(run.params).toEqual({ unreadable: `not JSON: ${BROKEN}` });
    for (const name of ['overview', 'latestRun', 'dbRuns', 'report', 'metrics', 'dbLatestRun'] as const) {
      expect([name, (await call(server, name)).status]).toEqual([name, 200]);
    }
  });

  it('in the settings or parameters of a run keeps that run from being continued, with an error that names it', async () => {
    await threeRuns();
    damage('UPDATE runs SET settings = ? WHERE id = 1', 'UPDATE runs SET params_json = ? WHERE id = 2');
    for (const [command, run, column] of [
      ['resume', '1', 'settings of run 1'],
      ['replay', '1', 'settings of run 1'],
      ['resume', '2', 'params_json of run 2'],
    ] as const) {
      const { code, stderr } = await curlew([command, run, ...data()]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${column} cannot be read`)]);
      expect(stderr).not.toContain('    at ');
    }
    const court = closing(await startCourt({ highest: 20 }));
    expect((await curlew(runArguments('examples/numbered-cases.ts', court, scratch('data')))).code).toBe(0);
  });

  it('in any other column stops no list and no page, and no new run', async () => {
    await threeRuns();
    damage(
      'UPDATE events SET payload_json = ?',
      'UPDATE records SET data = ?',
      'UPDATE records SET errors = ? WHERE id = 1',
      'UPDATE walks SET partition = ?',
      'UPDATE hosts SET state = ?',
      'UPDATE robots SET record = ?',
      'UPDATE cases SET other_json = ?',
      'UPDATE run_owners SET owner = ?',
      'UPDATE runs SET started_at = ?',
    );
    for (const args of [
      ['runs'],
      ['show', '1'],
      ['records', '1'],
      ['hosts'],
      ['mirror', 'runs'],
      ['mirror', 'export'],
    ]) {
      const { code, stderr } = await curlew([...args, ...data()]);
      expect([args, code, stderr]).toEqual([args, 0, '']);
    }
    const server = await openServer(scratch('data'));
    for (const [name, options] of READS) {
      const { status } = await read(server, name, options);
      expect([name, status]).toEqual([name, 200]);
    }
    const records = (await call(server, 'listRecords', { params: { id: 1 } })).json.rows;
    expect(records[0].data).toEqual({ unreadable: `not JSON: ${BROKEN}` });
    const events = (await call(server, 'runEvents', { params: { id: 1 } })).json.rows;
    expect(events[0].data).toEqual({ unreadable: `not JSON: ${BROKEN}` });
    const court = closing(await startCourt({ highest: 20 }));
    const again = await curlew(runArguments('examples/numbered-cases.ts', court, scratch('data')));
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('    at ')]);
    const walk = await curlew(['resume', '1', ...data()]);
    expect([walk.code, walk.stderr]).toEqual([1, expect.stringContaining('partition of byNumber in run 1')]);
  });
});

const RUN = { params: { id: 1 } };
const READS = [
  ['overview', {}],
  ['listRuns', {}],
  ['run', RUN],
  ['runSummary', RUN],
  ['runWalks', RUN],
  ['runProblems', RUN],
  ['runTimeline', RUN],
  ['runEvents', RUN],
  ['listRequests', RUN],
  ['request', { params: { id: 1, request: 1 } }],
  ['listRecords', RUN],
  ['listRecords', { ...RUN, query: { sort: 'data.title' } }],
  ['hosts', {}],
  ['listCases', {}],
  ['coverage', {}],
  ['exportCases', {}],
  ['downloadedCases', {}],
  ['metrics', {}],
] as const;

function read(server: TestServer, name: (typeof READS)[number][0], options: object): Promise<Answer> {
  return call(server, name, options);
}
