// Every route, every status code: each answer is held against the contract, and at the end nothing of the contract is left
// that was not seen.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { openEmbeddedBackend } from '../../src/fetcher/embedded/embedded-backend.ts';
import { FetcherLedger } from '../../src/ledger/fetcher/fetcher-ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Route } from '../../src/server/contract/route.ts';
import { ROUTES, type RouteName } from '../../src/server/contract/routes.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { envOf } from '../mirror/scrape-setup.ts';
import { answered, call, ended, openServer, quietEnv, send, until } from './server-setup.ts';

const NAMES = Object.keys(ROUTES) as RouteName[];
const SOURCE = 'unreported_judgments';
const TOKEN = 'correct-horse-battery-staple';
const NOTHING = 999_999;

let data: string;
/** Runs of the data directory. */
let numbered = 0;
let fetched = 0;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'curlew-test-contract-'));
  const court = await startCourt({ highest: 130, holes: [[50, 61]], sealed: [[70, 71]] });
  const large = createServer(({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(5 << 20));
  }).listen(0, '127.0.0.1');
  await once(large, 'listening');
  const mirror = await startJudicialKy({ seed: 7, cases: 40 });
  try {
    await curlew(runArguments('examples/numbered-cases.ts', court, data));
    const { port } = large.address() as AddressInfo;
    const where = ['--data', data, '--rate', 'off', '--allow-host', '127.0.0.1', '--json'];
    await curlew(['fetch', `http://127.0.0.1:${port}/large`, ...where]);
    [numbered, fetched] = [1, 2];
    const args = ['mirror', 'run', '--limit', '3', '--delay', '0', ...where];
    const { code, stderr } = await curlew(args, { env: envOf(mirror) });
    expect([code, stderr]).toEqual([0, expect.anything()]);
  } finally {
    await court.close();
    await mirror.close();
    large.close();
  }
  const fetcher = FetcherLedger.open(data);
  const line = { url: 'https://court.example/x', reason: '404', status: 404, attempts: 1, first: null, last: null };
  for (const reason of ['404', '404', '410', '500']) {
    const letter = JSON.stringify({ ...line, reason });
    fetcher.transaction(() => fetcher.deadLetters.add({ url: line.url, host: 'court.example', reason, line: letter }));
  }
  fetcher.close();
});

afterAll(() => rm(data, { recursive: true, force: true }));

const mirrorRun = 3;

/** A form of a browser. */
const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
});

describe('what is read', () => {
  it('comes in the shape of the contract', async () => {
    const server = await openServer(data);
    const id = numbered;
    const overview = (await call(server, 'overview')).json;
    expect(overview.attention).toContainEqual(
      expect.objectContaining({ text: 'NumberedCases: 2 ids refused', since: expect.any(String), run: id }),
    );
    expect((await call(server, 'listRuns', { query: { limit: 2 } })).json.rows).toHaveLength(2);
    const of = (name: RouteName, query = {}) => call(server, name, { params: { id }, query });
    expect((await of('run')).json.run).toMatchObject({ records: 116, counts: { done: 116, absent: 32, blocked: 2 } });
    expect((await of('runSummary')).json).toMatchObject({
      health: 'partial',
      warnings: [expect.stringContaining('70–71')],
    });
    expect((await of('runWalks')).json.walks[0]).toMatchObject({ gapMap: { from: 1, runs: '49h12a8h2b59h20a' } });
    expect((await of('runProblems')).json.problems).toMatchObject([{ verdict: 'blocked', count: 2 }]);
    const { buckets } = (await of('runTimeline')).json;
    expect(sum(buckets, 'done')).toBe(116);
    expect(sum(buckets, 'pending')).toBe(0);
    expect(sum(buckets, 'records')).toBe(116);
    expect((await of('runEvents', { limit: 2 })).json.rows).toHaveLength(2);
    const blocked = (await of('listRequests', { verdict: 'blocked' })).json;
    expect([blocked.total, blocked.rows.length]).toEqual([2, 2]);
    const request = blocked.rows[0].id;
    const detail = (await call(server, 'request', { params: { id, request } })).json;
    expect(detail).toMatchObject({ ids: [{ id: 70 }], exchanges: [{ status: 403 }] });
    const records = (await of('listRecords', { sort: 'data.title', order: 'desc', limit: 3 })).json;
    expect([records.total, records.rows.length]).toEqual([116, 3]);
    const body = await call(server, 'exchangeBody', { params: { id: detail.exchanges[0].id } });
    expect(body.text).toContain('403');
    expect((await call(server, 'hosts')).json.hosts[0]).toMatchObject({ breaker: { state: 'closed' } });
    expect((await call(server, 'deadLetters')).json).toMatchObject({
      total: 4,
      reasons: [{ reason: '404', count: 2 }, {}, {}],
    });
    expect((await call(server, 'startables')).json.startables.map(({ id: name }: { id: string }) => name)).toContain(
      'scraper:examples/county-court.ts',
    );
    expect((await call(server, 'session')).json).toEqual({
      ok: true,
      loginNeeded: false,
      loggedIn: false,
      mayChange: true,
      csrf: null,
    });
    expect((await call(server, 'liveness')).json).toEqual({ ok: true });
    expect((await call(server, 'health')).json.ok).toBe(true);
    expect((await call(server, 'metrics')).text).toContain(
      'curlew_run_requests{run="1",kind="scraper",name="NumberedCases",verdict="blocked"} 2',
    );
    await call(server, 'openapi');
    await call(server, 'listWalks');
  });

  it('of the mirror comes with the keys its pipelines know', async () => {
    const server = await openServer(data);
    const latest = (await call(server, 'latestRun')).json;
    expect(latest.run).toMatchObject({
      id: mirrorRun,
      mode: 'new',
      status: 'completed',
      downloads: { total: 3, downloaded: 3 },
    });
    expect((await call(server, 'dbLatestRun')).json.run).not.toHaveProperty('downloads');
    const { data: rows } = (await call(server, 'downloadedCases', { query: { source: 'UJ' } })).json;
    expect(rows).toHaveLength(3);
    expect(Object.keys(rows[0]).sort()).toEqual(
      'actions_token category cause_number court downloaded_at filename judgment_date saved_path size_kb sort_judgment_date source subject title'.split(
        ' ',
      ),
    );
    expect((await call(server, 'downloadedCases', { query: { source: '' } })).json.data).toHaveLength(3);
    const query = { run_id: mirrorRun, status: 'downloaded', source: SOURCE };
    expect((await call(server, 'dbDownloadedCases', { query })).json.data).toHaveLength(3);
    expect((await call(server, 'dbDownloadedCases', { query: { run_id: 1 } })).json.data).toHaveLength(0);
    expect((await call(server, 'dbRuns', { query: { limit: 0 } })).json).toMatchObject({
      count: 1,
      runs: [{ run_health: 'ok', target_source: SOURCE }],
    });
    const params = { id: mirrorRun };
    expect((await call(server, 'dbRunHealth', { params })).json).toMatchObject({
      run_id: mirrorRun,
      cases_downloaded: 3,
    });
    for (const id of [mirrorRun, 'latest']) {
      const { json } = await call(server, 'dbDownloadSummary', { params: { id } });
      expect(json).toMatchObject({
        run_id: mirrorRun,
        status_counts: { downloaded: 3 },
        fail_reasons: {},
        skip_reasons: {},
      });
    }
    const diff = (await call(server, 'dbCaseDiff', { params: { id: 1 } })).json;
    expect(diff.new_count).toBe(diff.new_cases.length);
    expect((await call(server, 'csvVersions')).json.versions).toMatchObject([
      { id: 1, valid: true, new_count: diff.new_count, removed_count: 0, changed_count: 0 },
    ]);
    const compared = (await call(server, 'versionDiff', { params: { id: 1 } })).json;
    expect([compared.against, compared.new_cases.length]).toEqual([null, diff.new_count]);
    const same = (await call(server, 'versionDiff', { params: { id: 1 }, query: { against: 1 } })).json;
    expect([same.against.id, same.new_cases]).toEqual([1, []]);
    expect((await call(server, 'coverage')).json).toMatchObject({ source: SOURCE, cases_held: 3 });
    const lines = (await call(server, 'exportCases')).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(3);
    expect(
      (await call(server, 'exportCases', { query: { since: lines[1].cursor } })).text.trim().split('\n'),
    ).toHaveLength(1);
    expect((await call(server, 'report', { query: { source: SOURCE } })).json).toMatchObject({
      run: { id: mirrorRun },
      data: [{}, {}, {}],
    });
    const held = (await call(server, 'listCases', { query: { state: 'held', sort: 'sizeBytes' } })).json;
    expect([held.total, held.rows.length]).toEqual([3, 3]);
    const [{ token, fileUrl }] = held.rows;
    const story = (await call(server, 'caseStory', { params: { source: SOURCE, token } })).json;
    expect(story.story[0].what).toBe('Listed for the first time, in version 1 of the index.');
    expect([story.sha256, story.canFetch]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), null]);
    const inRun = (await call(server, 'runCases', { params, query: { status: 'downloaded', sort: 'title' } })).json;
    expect([inRun.total, inRun.rows.map(({ attempts }: { attempts: number }) => attempts)]).toEqual([3, [1, 1, 1]]);
    expect((await call(server, 'runCases', { params: { id: numbered } })).json.total).toBe(0);
    const [, , source, file] = fileUrl.split('/');
    const pdf = await call(server, 'file', { params: { source, file } });
    expect([pdf.text.slice(0, 4), pdf.headers['content-disposition'], pdf.headers['x-content-type-options']]).toEqual([
      '%PDF',
      expect.stringContaining(`attachment; filename="${file}"`),
      'nosniff',
    ]);
    const runOf = (await call(server, 'listCases', { query: { run: mirrorRun, search: token } })).json;
    expect(runOf.total).toBe(1);
    expect((await call(server, 'runProblems', { params })).json.problems).toEqual([]);
    expect(sum((await call(server, 'runTimeline', { params })).json.buckets, 'done')).toBe(3);
  });

  it('is paged to the end, with and without a search', async () => {
    const server = await openServer(data);
    for (const query of [{}, { search: '/case/1' }, { order: 'desc' }, { sort: 'url' }, { verdict: 'absent' }]) {
      const ids = await pages(server, 'listRequests', query);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe({ '/case/1': 62, absent: 32 }[Object.values(query)[0] as string] ?? 150);
    }
    expect(await pages(server, 'listRecords', { search: 'state v.' })).toEqual(
      (
        await call(server, 'listRecords', { params: { id: 1 }, query: { search: 'STATE V.', limit: 500 } })
      ).json.rows.map(({ id }: { id: number }) => id),
    );
  });

  async function pages(server: RunningServer, name: RouteName, query: Record<string, string>): Promise<number[]> {
    const ids: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { json } = await call(server, name, {
        params: { id: numbered },
        query: { ...query, limit: 40, ...(cursor && { cursor }) },
      });
      ids.push(...json.rows.map(({ id }: { id: number }) => id));
      if (json.next === null) return ids;
      cursor = json.next;
    }
  }
});

/** As little as can be said to start a mirror run. */
function minimal(route: 'start' | 'scrape' | 'resume'): Record<string, string> {
  return route === 'resume' ? { resume_strategy: 'auto' } : { mode: 'new' };
}

/** What is asked of one run, by its id. */
const OF_RUN = [
  'run',
  'runSummary',
  'runCases',
  'runWalks',
  'runProblems',
  'runTimeline',
  'runEvents',
  'listRequests',
  'listRecords',
  'stopRun',
  'resumeRun',
  'replayRun',
  'dbRunHealth',
  'dbDownloadSummary',
] as const;

describe('what cannot be read', () => {
  it('is 404', async () => {
    const server = await openServer(data);
    const id = NOTHING;
    for (const name of OF_RUN) {
      const { status, json } = await call(server, name, { params: { id } });
      expect([name, status, json]).toEqual([name, 404, { ok: false, error: 'run_not_found', run_id: id }]);
    }
    const requeue = { params: { id }, body: { verdict: 'failed' } };
    expect((await call(server, 'requeueProblem', requeue)).status).toBe(404);
    expect((await call(server, 'request', { params: { id: 1, request: id } })).json.error).toBe('request_not_found');
    expect((await call(server, 'requeueRequest', { params: { id: 1, request: id } })).status).toBe(404);
    expect((await call(server, 'exchangeBody', { params: { id } })).json.error).toBe('exchange_not_found');
    expect((await call(server, 'dbCaseDiff', { params: { id } })).json).toEqual({
      ok: false,
      error: 'csv_version_not_found',
      csv_version_id: id,
    });
    expect((await call(server, 'versionDiff', { params: { id } })).json.error).toBe('csv_version_not_found');
    expect((await call(server, 'versionDiff', { params: { id: 1 }, query: { against: id } })).json.error).toBe(
      'csv_version_not_found',
    );
    expect((await call(server, 'caseStory', { params: { source: SOURCE, token: 'NOSUCHTOKEN' } })).json.error).toBe(
      'case_not_found',
    );
    expect((await call(server, 'fetchCase', { params: { source: SOURCE, token: 'NOSUCHTOKEN' } })).json.error).toBe(
      'case_not_found',
    );
    expect((await call(server, 'file', { params: { source: SOURCE, file: 'NOSUCH.pdf' } })).json.error).toBe(
      'file_not_found',
    );
    expect((await call(server, 'resume', { body: { run: id } })).status).toBe(404);
    expect((await call(server, 'events', { query: { run: id } })).status).toBe(404);
    for (const name of ['stopWalk', 'resumeWalk'] as const) {
      expect((await call(server, name, { params: { site: 'nowhere.example' } })).json.error).toBe('walk_not_found');
    }
    expect((await call(server, 'runDownloadedCases', { params: { id } })).json.error).toBe('run_not_found');
    expect((await call(server, 'webhook', { body: {} })).json).toEqual({ ok: false, error: 'webhook_disabled' });
    expect((await send(`${server.url}/api/nothing`)).json).toMatchObject({ error: 'not_found' });
  });

  it('of an empty directory is no run', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'curlew-test-empty-'));
    const server = await openServer(empty);
    for (const name of ['latestRun', 'dbLatestRun'] as const) {
      expect((await call(server, name)).json).toEqual({ ok: false, error: 'no runs' });
    }
    expect((await call(server, 'dbDownloadedCases')).json).toEqual({ data: [] });
    expect((await call(server, 'runDownloadedCases', { params: { id: 'latest' } })).json.error).toBe('no runs');
    expect((await call(server, 'dbDownloadSummary', { params: { id: 'latest' } })).json).toEqual({
      ok: false,
      error: 'no runs',
    });
    expect((await call(server, 'report')).json).toEqual({ ok: true, run: null, data: [] });
    await server.close();
    await rm(empty, { recursive: true });
  });

  it('for bad parameters is 400, with what is wrong', async () => {
    const server = await openServer(data);
    const bad: [RouteName, Parameters<typeof call>[2]][] = [
      ['listRuns', { query: { limit: 501 } }],
      ['listRuns', { query: { cursor: 'x' } }],
      ...[...OF_RUN, 'exchangeBody' as const, 'dbCaseDiff' as const].map((name): [RouteName, object] => [
        name,
        { params: { id: 'x' } },
      ]),
      ['requeueProblem', { params: { id: 1 }, body: { verdict: 'done' } }],
      ['request', { params: { id: 1, request: 0 } }],
      ['requeueRequest', { params: { id: 1, request: '1.5' } }],
      ['listRecords', { params: { id: 1 }, query: { sort: "data.x') --" } }],
      ['deadLetters', { query: { limit: 'many' } }],
      ['requeueDeadLetters', { body: {} }],
      ['dropDeadLetters', { body: { all: false } }],
      ['start', { body: { startable: 'scraper:/etc/passwd' } }],
      ['start', { body: { mode: 'everything' } }],
      ['start', { body: { mode: 'new', target_source: 'elsewhere' } }],
      ['start', { body: { startable: `mirror:${SOURCE}`, params: { unheardOf: 1 } } }],
      [
        'start',
        { body: { startable: 'scraper:examples/county-court.ts', params: { entries: { recent: { since: 'soon' } } } } },
      ],
      ['scrape', { body: { mode: 'new', limit: 0 } }],
      ['resume', { body: { resume_strategy: 'everything' } }],
      ['login', { body: {} }],
      ['downloadedCases', { query: { source: 'elsewhere' } }],
      ['dbDownloadedCases', { query: { run_id: 'x' } }],
      ['runDownloadedCases', { params: { id: 'x' } }],
      ['dbRuns', { query: { limit: 'x' } }],
      ['csvVersions', { query: { limit: 0 } }],
      ['coverage', { query: { source: 'elsewhere' } }],
      ['listCases', { query: { sort: 'x' } }],
      ['caseStory', { params: { source: 'elsewhere', token: 'X' } }],
      ['versionDiff', { params: { id: 1 }, query: { against: 'x' } }],
      ['fetchCase', { params: { source: 'elsewhere', token: 'X' } }],
      ['exportCases', { query: { since: -1 } }],
      ['report', { query: { source: 'elsewhere' } }],
      ['file', { params: { source: SOURCE, file: '../../ledger.sqlite' } }],
      ['events', { query: { run: 'x' } }],
      ['stopWalk', { params: { site: 'x'.repeat(254) } }],
      ['resumeWalk', { params: { site: 'x'.repeat(254) } }],
    ];
    for (const [name, options] of bad) {
      const { status, json } = await call(server, name, options);
      expect([name, options, status, json.ok]).toEqual([name, options, 400, false]);
    }
    expect((await call(server, 'dbDownloadedCases', { query: { run_id: 'x' } })).json).toEqual({
      ok: false,
      error: 'invalid run_id',
    });
    expect((await call(server, 'listRuns', { query: { limit: 501 } })).json).toMatchObject({
      error: 'invalid_params',
      details: [expect.stringContaining('limit')],
    });
  });

  it('of a body that is gone is 410, and of one that is too large to show 413', async () => {
    const server = await openServer(data);
    const { json } = await call(server, 'listRequests', { params: { id: fetched } });
    const detail = (await call(server, 'request', { params: { id: fetched, request: json.rows[0].id } })).json;
    const params = { id: detail.exchanges[0].id };
    expect((await call(server, 'exchangeBody', { params, query: { view: 'source' } })).json.error).toBe('too_large');
    const first = (await call(server, 'request', { params: { id: numbered, request: 1 } })).json.exchanges[0];
    expect(
      (await call(server, 'exchangeBody', { params: { id: first.id }, query: { view: 'source' } })).text,
    ).toContain('<title>');
    await rm(join(data, 'archive'), { recursive: true });
    expect((await call(server, 'exchangeBody', { params: { id: first.id } })).json.error).toBe('archive_damaged');
  });

  it('is said by the health check, with 503', async () => {
    const server = await openServer(data, { env: quietEnv({ BAILIIKC_MIN_FREE_MB: '99999999' }) });
    const { status, json } = await call(server, 'health');
    expect([status, json.ok, json.checks.filesystem.ok]).toEqual([503, false, false]);
  });
});

describe('who asks', () => {
  const params = { id: 1, request: 1, site: 'x', source: SOURCE, token: 'X', file: 'X.pdf' };

  it('by another name is refused everywhere on loopback', async () => {
    const server = await openServer(data);
    for (const name of NAMES) {
      const { status, json } = await call(server, name, { params, headers: { host: 'evil.example' } });
      expect([name, status, json.error]).toEqual([name, 403, 'bad_host']);
    }
  });

  it('needs a token for everything that is not open to all when others can reach the server', async () => {
    const server = await openServer(data, { token: TOKEN, publicUrl: new URL('https://records.example') });
    const closed = NAMES.filter((one) => ROUTES[one].needs !== 'nothing');
    for (const name of closed) {
      const { status, json } = await call(server, name, { params });
      expect([name, status, json.error]).toEqual([name, 401, 'login_needed']);
    }
    expect((await call(server, 'login', { body: { token: 'wrong' } })).status).toBe(401);
    const login = await call(server, 'login', { body: { token: TOKEN } });
    const [cookie = ''] = login.headers['set-cookie'] ?? [];
    const headers = { cookie: cookie.split(';', 1)[0] ?? '', 'x-curlew-csrf': login.json.csrf };
    expect((await call(server, 'login', form({ token: TOKEN }))).status).toBe(302);
    expect((await call(server, 'logout', { headers })).json).toEqual({ ok: true });
    for (let attempt = 0; attempt < 4; attempt++) await call(server, 'login', { body: { token: 'wrong' } });
    const wrong = { authorization: 'Bearer wrong' };
    const answers = await Promise.all(closed.map((name) => call(server, name, { params, headers: wrong })));
    expect(answers.map(({ json }) => json.error)).toEqual(closed.map(() => 'too_many_attempts'));
    expect((await call(server, 'login', { body: { token: 'wrong' } })).json.error).toBe('too_many_attempts');
    expect((await call(server, 'login', { body: { token: TOKEN } })).status).toBe(200);
  });
});

describe('changes', () => {
  it('of dead letters and requests', async () => {
    const server = await openServer(data);
    expect((await call(server, 'requeueDeadLetters', { body: { reason: '404' } })).json).toEqual({
      ok: true,
      count: 2,
    });
    expect((await call(server, 'dropDeadLetters', { body: { host: 'court.example' } })).json).toEqual({
      ok: true,
      count: 2,
    });
    const backend = openEmbeddedBackend(data, { clock: systemClock });
    expect(await backend.queue.size()).toMatchObject({ waiting: 2 });
    await backend.close();
    const query = { verdict: 'blocked' };
    const [blocked] = (await call(server, 'listRequests', { params: { id: numbered }, query })).json.rows;
    const one = await call(server, 'requeueRequest', { params: { id: numbered, request: blocked.id } });
    expect(one.json).toEqual({ ok: true, requeued: 1 });
    const rest = { params: { id: numbered }, body: { verdict: 'blocked', reason: '403 Forbidden' } };
    expect((await call(server, 'requeueProblem', rest)).json).toEqual({ ok: true, requeued: 1 });
    const again = await call(server, 'requeueProblem', { params: { id: mirrorRun }, body: { verdict: 'failed' } });
    expect(again.json.error).toBe('not_requeueable');
    const [request] = (await call(server, 'listRequests', { params: { id: numbered }, query: { verdict: 'pending' } }))
      .json.rows;
    expect((await call(server, 'requeueRequest', { params: { id: numbered, request: request.id } })).status).toBe(409);
    expect((await call(server, 'stopRun', { params: { id: numbered } })).json.error).toBe('not_running');
    expect((await call(server, 'replayRun', { params: { id: fetched } })).json.error).toBe('not_replayable');
    expect((await call(server, 'resumeRun', { params: { id: fetched } })).status).toBe(409);
  });

  it('of runs and walks', async () => {
    // Other pages than those whose archive is gone: a replay of these would fail at once, and perhaps before it is seen.
    const court = closing(await startCourt({ seed: 9, highest: 200 }));
    // So that it does not end by itself. What is on the wire when it is stopped is finished first.
    const hold = () => court.faults.set({ kind: 'hold', path: /^\/(case|list)\// });
    const server = await openServer(data);
    const settings = { baseUrl: court.url };
    hold();
    const begun = await call(server, 'start', {
      body: { startable: 'scraper:examples/numbered-cases.ts', params: { settings } },
    });
    const params = { id: begun.json.run.id };
    const stopped = async () => {
      const { status } = await call(server, 'stopRun', { params });
      await court.faults.clear();
      await ended(server, params.id);
      hold();
      return status;
    };
    expect(await stopped()).toBe(202);
    expect((await call(server, 'resumeRun', { params })).status).toBe(202);
    await stopped();
    expect((await call(server, 'resume', form({ run: String(params.id) }))).headers.location).toBe(
      `/runs/${params.id}`,
    );
    expect((await call(server, 'resume', { body: { run: params.id } })).json.error).toBe('run_in_progress');
    await stopped();
    expect((await call(server, 'replayRun', { params })).status).toBe(202);

    const site = 'court.example';
    await call(server, 'start', { body: { startable: 'site:examples/listing-site.ts', params: { settings } } });
    expect((await call(server, 'resumeWalk', { params: { site } })).json.error).toBe('run_in_progress');
    expect((await call(server, 'stopWalk', { params: { site } })).status).toBe(202);
    await court.faults.clear();
    await until(
      () => call(server, 'listWalks'),
      ({ json }) => json.walks[0]?.owner.state === 'none',
    );
    hold();
    expect((await call(server, 'stopWalk', { params: { site } })).json.error).toBe('not_running');
    expect((await call(server, 'resumeWalk', { params: { site } })).json).toMatchObject({ site });
  });

  it('of the mirror: started, refused while one is on, and refused with settings that cannot be used', async () => {
    const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
    const server = await openServer(data, { env: quietEnv({ ...envOf(site), BAILIIKC_WEBHOOK_SHARED_SECRET: 's' }) });
    for (const name of ['start', 'scrape', 'resume'] as const) {
      // Its first answer does not come before the others are refused.
      site.faults.set({ kind: 'hold' });
      const begun = await call(server, name, { body: { ...minimal(name), target_source: 'UJ', limit: 1 } });
      expect([name, begun.status, begun.json.run.trigger]).toEqual([name, 202, 'ui']);
      for (const other of ['start', 'scrape', 'resume'] as const) {
        expect((await call(server, other, { body: minimal(other) })).json).toMatchObject({
          error: 'run_in_progress',
          run_id: begun.json.run.id,
        });
      }
      await site.faults.clear();
      await ended(server, begun.json.run.id);
    }
    for (const name of ['start', 'scrape', 'resume'] as const) {
      const { status, headers } = await call(server, name, form({ ...minimal(name), limit: '1' }));
      expect([status, headers.location]).toEqual([302, expect.stringMatching(/^\/runs\/\d+$/)]);
      await ended(server, Number(String(headers.location).slice('/runs/'.length)));
    }
    for (const name of ['start', 'scrape', 'resume'] as const) {
      const planned = await call(server, name, { body: { ...minimal(name), dry_run: true } });
      expect([planned.status, planned.json.dry_run]).toEqual([200, true]);
    }
    const [{ token }] = (await call(server, 'listCases', { query: { state: 'held' } })).json.rows;
    const fetchAgain = { params: { source: SOURCE, token } };
    site.faults.set({ kind: 'hold' });
    const again = await call(server, 'fetchCase', fetchAgain);
    expect((await call(server, 'fetchCase', fetchAgain)).json).toMatchObject({
      error: 'run_in_progress',
      run_id: again.json.run.id,
    });
    await site.faults.clear();
    await ended(server, again.json.run.id);
    const latest = (await call(server, 'latestRun')).json.run.id;
    const ofLatest = (await call(server, 'dbDownloadedCases', { query: { run_id: latest } })).json;
    expect(ofLatest.data).toHaveLength(1);
    expect((await call(server, 'dbDownloadedCases')).json).toEqual(ofLatest);
    for (const id of [latest, 'latest']) {
      expect((await call(server, 'runDownloadedCases', { params: { id } })).json).toEqual(ofLatest);
    }
    expect((await call(server, 'downloadedCases')).json.data.length).toBeGreaterThan(3);
    expect((await call(server, 'runSummary', { params: { id: latest } })).json).toMatchObject({
      run_id: latest,
      status_counts: { downloaded: 1, failed: 0 },
      fail_reasons: {},
    });
    const params = { source: SOURCE, file: ofLatest.data[0].filename };
    expect((await call(server, 'file', { params, headers: { range: 'bytes=0-3' } })).text).toBe('%PDF');
    expect((await call(server, 'file', { params, headers: { range: 'bytes=99999999-' } })).status).toBe(416);
    const broken = await openServer(data, { env: quietEnv({ BAILIIKC_REPLAY_SKIP_NETWORK: '1' }) });
    expect((await call(broken, 'fetchCase', fetchAgain)).json).toMatchObject({ error: 'config_invalid' });
    for (const name of ['start', 'scrape', 'resume'] as const) {
      expect((await call(broken, name, { body: minimal(name) })).json).toMatchObject({ error: 'config_invalid' });
    }
  });

  it('by the webhook', async () => {
    const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
    const env = quietEnv({ ...envOf(site), BAILIIKC_WEBHOOK_SHARED_SECRET: 's' });
    const server = await openServer(data, { env });
    const headers = { 'x-webhook-token': 's' };
    const body = { mode: 'new', target_source: SOURCE, new_limit: 1 };
    expect((await call(server, 'webhook', { headers, body: {} })).status).toBe(400);
    expect((await call(server, 'webhook', { headers, body })).json).toMatchObject({
      entrypoint: 'webhook',
      summary: { processed: 1, downloaded: 1 },
    });
    site.faults.set({ kind: 'hold' });
    const begun = await call(server, 'webhook', { headers, body, query: { async: 1 } });
    expect([begun.status, begun.json.url]).toEqual([202, `/api/runs/${begun.json.run_id}`]);
    expect((await call(server, 'webhook', { headers, body })).status).toBe(409);
    await site.faults.clear();
    await ended(server, begun.json.run_id);
    for (let attempt = 0; attempt < 5; attempt++) await call(server, 'webhook', { body });
    expect((await call(server, 'webhook', { body })).json.error).toBe('too_many_attempts');
    const broken = await openServer(data, { env: { ...env, BAILIIKC_MIN_FREE_MB: '-1' } });
    expect((await call(broken, 'webhook', { headers, body })).json).toEqual({ ok: false, error: 'config_invalid' });
  });
});

describe('the fleet', () => {
  it('whose Redis does not answer is told so, and the rest is there all the same', async () => {
    const server = await openServer(data, { env: quietEnv({ PAGE_FETCHER_REDIS_URL: 'redis://127.0.0.1:1' }) });
    const body = { all: true };
    const answers = await Promise.all([
      call(server, 'deadLetters'),
      call(server, 'requeueDeadLetters', { body }),
      call(server, 'dropDeadLetters', { body }),
    ]);
    expect(answers.map(({ json }) => json.error)).toEqual(Array(3).fill('service_unavailable'));
    const { json } = await call(server, 'overview');
    expect(json.attention).toContainEqual(
      expect.objectContaining({ severity: 'urgent', text: 'the fetcher: its Redis does not answer' }),
    );
  });
});

describe('the stream', () => {
  it('is refused to the five hundred and first page', async () => {
    const server = await openServer(data);
    const pages = await Promise.all(Array.from({ length: 500 }, () => fetch(`${server.url}/api/events/stream`)));
    expect((await call(server, 'events')).json.error).toBe('too_many_streams');
    answered.add(`events ${pages[0]?.status}`);
    await Promise.all(pages.map((page) => page.body?.cancel()));
  });
});

describe('the contract', () => {
  it('names nothing that was not answered above', () => {
    const named = Object.entries<Route>(ROUTES).flatMap(([name, { answers }]) =>
      Object.entries(answers).flatMap(([status, answer]) => (answer === undefined ? [] : [`${name} ${status}`])),
    );
    expect(named.filter((pair) => !answered.has(pair))).toEqual([]);
  });
});

function sum(rows: readonly Record<string, number>[], key: string): number {
  return rows.reduce((total, row) => total + (row[key] ?? 0), 0);
}
