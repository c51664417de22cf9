// Runs begun from the server: in processes of their own, that outlive it, can be killed, and are gone on with.

import { mkdir, readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, ended, openServer, until } from './server-setup.ts';

const scratch = scratchDirectory();
const NUMBERED = 'scraper:examples/numbered-cases.ts';

async function startNumbered(server: Awaited<ReturnType<typeof openServer>>, url: string): Promise<number> {
  const body = { startable: NUMBERED, params: { settings: { baseUrl: url } } };
  const { status, json } = await call(server, 'start', { body });
  expect([status, json.ok, json.run?.name]).toEqual([202, true, 'NumberedCases']);
  return json.run.id;
}

describe('a run begun over HTTP', () => {
  it('is killed, shown as killed, and resumed to the end', async () => {
    const court = closing(await startCourt({ highest: 120 }));
    court.faults.set({ kind: 'hold', path: '/case/', after: 40 });
    const server = await openServer(scratch('data'));
    const run = await startNumbered(server, court.url);
    await court.log.arrival(({ n }) => n > 40);
    const detail = await call(server, 'run', { params: { id: run } });
    expect(detail.json.run).toMatchObject({ state: 'running', owner: { state: 'alive' }, can: { stop: null } });
    process.kill(detail.json.run.owner.pid, 'SIGKILL');
    const killed = await ended(server, run);
    await court.faults.clear();
    expect(killed).toMatchObject({
      state: 'killed',
      owner: { state: 'gone', text: 'killed: its process is gone' },
      can: { stop: 'Nobody works on it.', resume: null },
    });
    const { json: overview } = await call(server, 'overview');
    expect(overview.attention[0]).toMatchObject({ severity: 'urgent', run, text: expect.stringContaining('killed') });
    expect((await call(server, 'listRuns', { query: { state: 'killed' } })).json.rows).toHaveLength(1);

    const resumed = await call(server, 'resumeRun', { params: { id: run } });
    expect([resumed.status, resumed.json.run.id]).toEqual([202, run]);
    expect(await ended(server, run)).toMatchObject({ state: 'completed', health: 'ok', records: 120 });
    expect((await call(server, 'resumeRun', { params: { id: run } })).json).toMatchObject({ error: 'not_resumable' });
  });

  it('goes on when the server ends, and the next server finds it and stops it', async () => {
    const court = closing(await startCourt({ highest: 2_000 }));
    const begun = court.faults.set({ kind: 'hold', path: '/case/', after: 20 });
    await mkdir(scratch('temporary'));
    vi.stubEnv('TMPDIR', scratch('temporary'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const first = await openServer(scratch('data'));
    const run = await startNumbered(first, court.url);
    expect(await readdir(scratch('temporary'))).toEqual([]);
    expect((await call(first, 'resumeRun', { params: { id: run } })).json).toMatchObject({ error: 'run_in_progress' });
    expect((await call(first, 'replayRun', { params: { id: run } })).status).toBe(409);
    await first.close();
    const before = court.log.entries.length;
    court.faults.set({ kind: 'hold', path: '/case/', after: 20 });
    await court.faults.clear(begun);
    await court.log.arrival(({ n }) => n > before + 20);

    const second = await openServer(scratch('data'));
    const { json } = await call(second, 'run', { params: { id: run } });
    expect(json.run).toMatchObject({ state: 'running', owner: { state: 'alive' } });
    expect((await call(second, 'stopRun', { params: { id: run } })).status).toBe(202);
    await court.faults.clear();
    expect(await ended(second, run)).toMatchObject({ state: 'interrupted', can: { resume: null } });
    expect((await call(second, 'stopRun', { params: { id: run } })).json).toMatchObject({ error: 'not_running' });
    expect(await readdir(scratch('temporary'))).toEqual([]);
  });

  it('is of the dashboard, not of the command line: a scraper, its replay, a site, a site gone on with', async () => {
    const court = closing(await startCourt({ highest: 60, latencyMs: 10 }));
    const server = await openServer(scratch('data'));
    const run = await startNumbered(server, court.url);
    await ended(server, run);
    const replay = await call(server, 'replayRun', { params: { id: run } });
    await ended(server, replay.json.run.id);

    const siteAt = (baseUrl: string) => ({
      startable: 'site:examples/listing-site.ts',
      params: { settings: { baseUrl } },
    });
    const runs = (holds: (rows: readonly { state: string }[]) => boolean) =>
      until(
        () => call(server, 'listRuns'),
        ({ json }) => holds(json.rows),
      );
    await call(server, 'start', { body: siteAt(court.url) });
    await runs((rows) => rows.length === 3 && rows[0]?.state === 'completed');
    const slow = closing(await startCourt({ highest: 60 }));
    slow.faults.set({ kind: 'hold', path: '/list/' });
    const site = { params: { site: 'court.example' } };
    expect((await call(server, 'start', { body: siteAt(slow.url) })).json).toMatchObject({ site: 'court.example' });
    expect((await call(server, 'stopWalk', site)).status).toBe(202);
    await slow.faults.clear();
    await until(
      () => call(server, 'listWalks'),
      ({ json }) => json.walks[0]?.owner.state === 'none',
    );
    expect((await call(server, 'resumeWalk', site)).status).toBe(202);
    // To its end: a run that just begins has nobody yet that could be stopped after the test.
    const { rows } = (await runs((rows) => rows.length === 4 && rows[0]?.state === 'completed')).json;
    expect(rows.map(({ kind, trigger }: Record<string, string>) => [kind, trigger])).toEqual([
      ['site', 'ui'],
      ['site', 'ui'],
      ['replay', 'ui'],
      ['scraper', 'ui'],
    ]);
  });

  it('puts a failed request back, and asks for it again when resumed', async () => {
    const court = closing(await startCourt({ highest: 30 }));
    const fault = court.faults.set({ kind: 'status', status: 418, path: /^\/case\/7$/ });
    const server = await openServer(scratch('data'));
    const run = await startNumbered(server, court.url);
    const first = await ended(server, run);
    expect(first).toMatchObject({ state: 'completed', counts: { failed: 1 } });
    const { json: problems } = await call(server, 'runProblems', { params: { id: run } });
    const [{ verdict, example }] = problems.problems.filter(
      (problem: { verdict: string }) => problem.verdict === 'failed',
    );
    expect([verdict, example.text]).toEqual(['failed', `${court.url}/case/7`]);
    const params = { id: run, request: example.request };
    const { json: detail } = await call(server, 'request', { params });
    expect(detail.story.map(({ what }: { what: string }) => what)).toEqual([
      'Asked for as id 7 of byNumber.',
      expect.stringContaining('/case/7: 418'),
      expect.stringContaining('Given up'),
      expect.stringContaining('It is failed'),
    ]);
    expect(detail.canRequeue).toBeNull();
    await court.faults.clear(fault);

    expect((await call(server, 'requeueRequest', { params })).json).toEqual({ ok: true, requeued: 1 });
    expect((await call(server, 'requeueRequest', { params })).json).toMatchObject({ error: 'not_requeueable' });
    expect((await call(server, 'run', { params: { id: run } })).json.run).toMatchObject({
      state: 'interrupted',
      counts: { failed: 0, pending: 1 },
    });
    await call(server, 'resume', { body: { run } });
    expect(await ended(server, run)).toMatchObject({ state: 'completed', counts: { failed: 0, pending: 0 } });
    const replay = await call(server, 'replayRun', { params: { id: run } });
    expect(replay.json.run).toMatchObject({ kind: 'replay', replayOf: run });
    expect(await ended(server, replay.json.run.id)).toMatchObject({ records: 30 });
  });

  it('of a site is a walk first, then a run', async () => {
    const court = closing(await startCourt({ highest: 60 }));
    court.faults.set({ kind: 'hold', path: '/list/' });
    const server = await openServer(scratch('data'));
    const body = { startable: 'site:examples/listing-site.ts', params: { settings: { baseUrl: court.url } } };
    const { json } = await call(server, 'start', { body });
    expect(json).toMatchObject({ ok: true, site: 'court.example', url: '/api/sites' });
    await court.faults.clear();
    const { json: list } = await until(
      () => call(server, 'listRuns'),
      ({ json: { rows } }) => rows[0]?.state === 'completed',
    );
    const { json: detail } = await call(server, 'run', { params: { id: list.rows[0].id } });
    expect(detail.run.startPages.map(({ urls }: { urls: number }) => urls > 0)).toEqual([true, true]);
    expect((await call(server, 'listWalks')).json.walks).toEqual([]);
  });
});
