// An index that is gone, broken or refused must never look like a quiet day: every command says so, from the first time on.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { CSV_PATH } from '../../sim/judicial-ky/paths.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer } from '../server/server-setup.ts';
import { FlyingClock } from './flying-clock.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { envOf, latestRun, logOf, look, SOURCE, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

/** Every case is held, by a good index. */
async function mirrored(): Promise<RunningJudicialKy> {
  const site = await startSite({ cases: 40 });
  await scrape(site, data());
  return site;
}

/** The first version of the index, as it came. */
function keptIndex(): string {
  const [name = ''] = readdirSync(join(data(), 'csv'));
  return readFileSync(join(data(), 'csv', name), 'utf8');
}

const HEADER = 'Neutral Citation,Cause Number,Judgment Date,Title,Subject,Court,Category,Actions\r\n';
const csv = (body: string, headers = {}) => ({ kind: 'status', status: 200, body, headers, path: CSV_PATH }) as const;
const status = (code: number) => ({ kind: 'status', status: code, path: CSV_PATH }) as const;

describe('a dead index', () => {
  it('is said by run, report, health, show and the API, and none of them leaves with 0', async () => {
    const site = await mirrored();
    const env = envOf(site);
    expect((await mirror(data(), ['report'])).code).toBe(0);
    site.faults.set(status(404));

    const run = await startMirror(site, data()).ended;
    expect([run.code, jsonIn(run)]).toMatchObject([
      1,
      {
        status: 'completed',
        runHealth: 'suspicious',
        problems: [
          { code: 'index_not_confirmed', message: expect.stringMatching(/404.*version 2.*Version 1, fetched/) },
        ],
      },
    ]);
    const text = await curlew(['mirror', 'run', '--data', data(), '--rate', 'off', '--allow-host', '127.0.0.1'], {
      env,
    });
    expect([text.code, text.stdout]).toMatchObject([1, expect.stringMatching(/index +The index could not .*404/)]);
    const plan = await startMirror(site, data(), ['--dry-run']).ended;
    expect([plan.code, jsonIn(plan)]).toMatchObject([1, { problems: [{ code: 'index_not_confirmed' }] }]);
    const synced = await mirror(data(), ['sync', '--rate', 'off', '--allow-host', '127.0.0.1'], env);
    expect([synced.code, synced.stdout]).toMatchObject([1, expect.stringMatching(/^Version 1 .*stays in use.*404/)]);

    const report = await mirror(data(), ['report']);
    expect([report.code, report.stdout]).toMatchObject([
      1,
      expect.stringMatching(/100 %[\s\S]*version 1 of the index, last confirmed by the site \d+ s ago.*404/),
    ]);
    const json = jsonIn(await mirror(data(), ['report', '--json']));
    expect(json.index).toMatchObject({ state: 'not_confirmed', csv_version_id: 1, problem: { reason: /404/ } });
    expect(await mirror(data(), ['report', '--stale-index-ok'])).toMatchObject({ code: 0 });
    const health = await mirror(data(), ['health'], env);
    expect([health.code, health.stdout]).toMatchObject([1, expect.stringMatching(/^index +not ok .*404/m)]);
    const shown = await curlew(['show', '2', '--data', data()]);
    expect(shown.stdout).toMatch(/health suspicious[\s\S]*The index could not be brought up to date/);

    const server = await openServer(data(), { env });
    const problems = await call(server, 'runProblems', { params: { id: 2 } });
    expect(problems.json.problems).toMatchObject([{ reason: 'index_not_confirmed', example: { text: site.csvUrl } }]);
    const overview = await call(server, 'overview');
    expect(overview.json.indexes).toMatchObject([
      { source: SOURCE, state: 'not_confirmed', age_seconds: expect.any(Number) },
    ]);
    expect(overview.json.attention).toContainEqual(
      expect.objectContaining({ severity: 'urgent', text: expect.stringMatching(/index could not .*404/) }),
    );
    expect((await call(server, 'coverage')).json.index.state).toBe('not_confirmed');
    // The service is well; the site is not. Restarting it would help nobody.
    expect(await call(server, 'health')).toMatchObject({
      status: 200,
      json: { ok: true, checks: { index: { ok: false } } },
    });

    const accepted = await startMirror(site, data(), ['--stale-index-ok']).ended;
    expect([accepted.code, jsonIn(accepted)]).toMatchObject([0, { problems: [{ code: 'index_not_confirmed' }] }]);
    expect((await latestRun(data())).params).toMatchObject({ stale_index_ok: true });
  });

  it.for([
    ['404', (site: RunningJudicialKy) => site.faults.set(status(404)), /404/],
    ['403', (site) => site.faults.set(status(403)), /403/],
    ['500 for ever', (site) => site.faults.set(status(500)), /500/],
    ['HTML with 200', (site) => site.faults.set(csv('<!doctype html><title>Login</title>')), /HTML/],
    ['nothing', (site) => site.faults.set(csv('')), /empty/],
    ['a header only', (site) => site.faults.set(csv(HEADER)), /no rows/],
    ['a JSON error with 200', (site) => site.faults.set(csv('{"code":"rest_no_route"}')), /no column/],
    ['a row that is cut off', (site) => site.faults.set(csv(`${keptIndex()}[2025] CIGC 999,FSD 9`)), /cut off/],
    ['half of its bytes', (site) => site.switchOn('csv-half'), /cut off|vanish/],
    [
      'a redirect to a page',
      (site) => site.faults.set({ kind: 'status', status: 302, headers: { location: '/' }, path: CSV_PATH }),
      /HTML/,
    ],
    ['robots.txt that forbids it', (site) => site.setRobots(`User-agent: *\nDisallow: ${CSV_PATH}\n`), /robots/],
    ['a connection that is cut', (site) => site.faults.set({ kind: 'reset', path: CSV_PATH }), /./],
  ] as const satisfies readonly (readonly [string, (site: RunningJudicialKy) => unknown, RegExp])[])(
    '%s is no quiet day',
    async ([, spoil, reason]) => {
      const site = await mirrored();
      spoil(site);
      // A robots.txt is remembered for a day.
      const clock = new FlyingClock();
      await clock.sleep(2 * 86_400_000);
      const summary = await scrape(site, data(), { mode: 'new' }, { world: { clock } });
      expect(summary.staleIndex).toMatch(reason);
      expect(await latestRun(data())).toMatchObject({ status: 'completed', runHealth: 'suspicious', csvVersionId: 1 });
      expect(await look(data(), ({ mirror: ledger }) => ledger.indexCheck(SOURCE))).toMatchObject({
        versionId: 1,
        refusedVersionId: 2,
      });
    },
  );

  it('on a host that nobody answers for is no quiet day', async () => {
    const site = await mirrored();
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const env = { BAILIIKC_UJ_CSV_URL: `http://127.0.0.1:${port}/judgments.csv` };
    const summary = await scrape(site, data(), { mode: 'new' }, { env });
    expect(summary.staleIndex).toMatch(/Version 1, fetched/);
    expect(await latestRun(data())).toMatchObject({ runHealth: 'suspicious' });
  });

  it('makes a run that fetched everything it knew of suspicious too', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, data(), { limit: 3 });
    site.faults.set(status(404));
    const summary = await scrape(site, data(), { mode: 'new' });
    expect([summary.downloadsCompleted > 0, summary.staleIndex === undefined]).toEqual([true, false]);
    expect((await latestRun(data())).runHealth).toBe('suspicious');
    // The next good look makes everything well again.
    site.faults.clear();
    expect((await scrape(site, data(), { mode: 'new' })).staleIndex).toBeUndefined();
    expect((await latestRun(data())).runHealth).toBe('ok');
  });

  it('that never was is no coverage of 100 %', async () => {
    const site = await startSite({ cases: 40 });
    site.faults.set(status(404));
    const run = await startMirror(site, data()).ended;
    expect(run.code).toBe(1);
    const report = await mirror(data(), ['report', '--stale-index-ok']);
    expect([report.code, report.stdout]).toMatchObject([
      1,
      expect.stringMatching(/\(0 %\)[^\n]*\nThere is no index.*404/),
    ]);
  });
});

describe('a quiet day', () => {
  it('with a good index is ok, whether the site says 304 or gives the same bytes', async () => {
    const site = await mirrored();
    const first = await look(data(), ({ mirror: ledger }) => ledger.indexCheck(SOURCE));
    const same = await startMirror(site, data()).ended;
    expect([same.code, jsonIn(same)]).toMatchObject([0, { runHealth: 'ok', problems: [], downloadsCompleted: 0 }]);
    const second = await look(data(), ({ mirror: ledger }) => ledger.indexCheck(SOURCE));
    expect(Date.parse(second?.confirmedAt ?? '')).toBeGreaterThan(Date.parse(first?.confirmedAt ?? ''));
    expect(site.log.entries.filter(({ path }) => path === CSV_PATH).at(-1)).toMatchObject({ status: 304 });

    // The same bytes, without a validator.
    site.faults.set(csv(keptIndex(), { 'content-type': 'text/csv' }));
    const again = await startMirror(site, data()).ended;
    expect([again.code, jsonIn(again)]).toMatchObject([0, { runHealth: 'ok', problems: [] }]);
    const third = await look(data(), ({ mirror: ledger }) => ledger.indexCheck(SOURCE));
    expect(third).toMatchObject({ versionId: 1, refusedVersionId: null });
    expect(Date.parse(third?.confirmedAt ?? '')).toBeGreaterThan(Date.parse(second?.confirmedAt ?? ''));
    expect(logOf(data())).not.toMatch(/\[ERROR\]/);
  });

  it('after a bad index that came twice with the same bytes is not taken for confirmed', async () => {
    const site = await mirrored();
    const bad = csv('<html>maintenance</html>');
    site.faults.set(bad);
    await scrape(site, data(), { mode: 'new' });
    site.faults.clear();
    await scrape(site, data(), { mode: 'new' });
    site.faults.set(bad);
    await scrape(site, data(), { mode: 'new' });
    expect(await look(data(), ({ mirror: ledger }) => ledger.indexCheck(SOURCE))).toMatchObject({
      refusedVersionId: 2,
    });
    expect((await latestRun(data())).runHealth).toBe('suspicious');
  });
});
