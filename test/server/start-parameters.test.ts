// Every parameter of a start reaches the run, in each form it can be sent in; what is not understood is refused by name.

import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { Corpus } from '../../sim/judicial-ky/corpus.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import type { Route } from '../../src/server/contract/route.ts';
import { ROUTES, type RouteName } from '../../src/server/contract/routes.ts';
import { MirrorParams } from '../../src/server/contract/start.ts';
import { type FormField, fieldsOf, type JsonObject } from '../../web/src/lib/form-field.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { envOf, filesIn, requestsTo } from '../mirror/scrape-setup.ts';
import { call, ended, openServer, quietEnv, type TestServer } from './server-setup.ts';

const scratch = scratchDirectory();
const STARTABLE = 'mirror:unreported_judgments';

async function open() {
  const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
  const env = quietEnv({ ...envOf(site), BAILIIKC_WEBHOOK_SHARED_SECRET: 'a secret of the webhook' });
  return { site, server: await openServer(scratch('data'), { env }) };
}

/** `a.b=1` as `a[b]=1`, the way forms nest. */
function formText(fields: object, prefix = ''): [string, string][] {
  return Object.entries(fields).flatMap(([key, value]): [string, string][] => {
    const name = prefix === '' ? key : `${prefix}[${key}]`;
    return typeof value === 'object' ? formText(value, name) : [[name, String(value)]];
  });
}

const form = (fields: object) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(formText(fields)).toString(),
});

/** The ways to say the same. */
const WAYS: Record<string, (params: object) => { body: object | string; headers?: Record<string, string> }> = {
  'flat JSON': (params) => ({ body: params }),
  'nested JSON': (params) => ({ body: { startable: STARTABLE, params } }),
  'nested JSON without a startable': (params) => ({ body: { params } }),
  'flat JSON beside a startable': (params) => ({ body: { startable: STARTABLE, ...params } }),
  'a flat form': form,
  'a nested form': (params) => form({ startable: STARTABLE, params }),
  'a form with params as JSON': (params) => form({ startable: STARTABLE, params: JSON.stringify(params) }),
};

describe('a dry run over HTTP', () => {
  it.each(Object.keys(WAYS))('as %s fetches no file and leaves no run', async (way) => {
    const { site, server } = await open();
    for (const name of ['start', 'scrape'] as const) {
      const { status, json } = await call(server, name, WAYS[way]?.({ mode: 'new', dry_run: true }));
      const wanted = site.corpus.wanted('v1').length;
      expect([status, json]).toEqual([
        200,
        { ok: true, dry_run: true, cases_total: expect.any(Number), cases_planned: wanted, problems: [] },
      ]);
    }
    expect(requestsTo(site)).toEqual({ pages: 0, ajax: 0, files: 0 });
    expect(filesIn(scratch('data'))).toEqual({});
    expect((await call(server, 'listRuns')).json.rows).toEqual([]);
  });

  it('is what a resume can be too', async () => {
    const { site, server } = await open();
    const { status, json } = await call(server, 'resume', { body: { resume_strategy: 'auto', dry_run: true } });
    expect([status, json.dry_run]).toEqual([200, true]);
    expect(requestsTo(site).files).toBe(0);
  });

  it.each(['true', '1', 'on', 'yes', 'TRUE', true, 1])('is asked for by %j', async (dry_run) => {
    const { server } = await open();
    expect((await call(server, 'start', { body: { mode: 'new', dry_run } })).status).toBe(200);
  });

  it.each(['maybe', 2, null, [], {}])('is not asked for by %j, and nothing is started', async (dry_run) => {
    const { site, server } = await open();
    const { status, json } = await call(server, 'start', { body: { mode: 'new', dry_run } });
    expect([status, json.details]).toEqual([400, [expect.stringContaining('dry_run')]]);
    expect(site.log.entries).toEqual([]);
  });
});

/** Of the simulated court. */
const CASE = normalizeActionToken(new Corpus({ seed: 7, cases: 40 }).wanted('v1')[0]?.token ?? '');

/** Each declared parameter with a value that is not its default, and what the run must have stored of it. */
const EFFECTS: Record<keyof typeof MirrorParams.shape, readonly [given: unknown, stored: object]> = {
  mode: ['FULL', { mode: 'full' }],
  target_source: ['UJ', { target_source: 'unreported_judgments' }],
  limit: [2, { limit: 2 }],
  new_limit: [3, { limit: 3 }],
  resume_strategy: ['None', { resume_strategy: 'none' }],
  dry_run: [false, { dry_run: false }],
  per_download_delay: [0.05, { per_download_delay: 0.05 }],
  max_retries: [5, { max_retries: 5 }],
  concurrency: [3, { concurrency: 3 }],
  accept_shrink: [true, { accept_shrink: true }],
  stale_index_ok: [true, { stale_index_ok: true }],
  cases: [`${CASE}`, { cases: [CASE] }],
  // What these two do to the command line is in mirror-startable.test.ts: the ledger does not have it.
  client: ['http', {}],
  settings: [{ rate: 'off', robots: 'off', allowHosts: '127.0.0.1' }, {}],
};

const { new_limit: NEW_LIMIT, ...ALL } = EFFECTS;
const given = (effects: object) => Object.fromEntries(Object.entries(effects).map(([name, [value]]) => [name, value]));
const stored = (effects: object) => Object.assign({}, ...Object.values(effects).map(([, effect]) => effect));

describe('a mirror run started over HTTP', () => {
  /** What the ledger has of the run that was begun. */
  async function storedParams(server: TestServer, route: 'start' | 'resume', options: object) {
    const { status, json, headers } = await call(server, route, options);
    expect([202, 302]).toContain(status);
    const id = status === 302 ? Number(String(headers.location).slice('/runs/'.length)) : json.run.id;
    return (await ended(server, id)).params;
  }

  it.each(Object.keys(WAYS))('by %s has every declared parameter', async (way) => {
    const { server } = await open();
    const seen = await storedParams(server, 'start', WAYS[way]?.(given(ALL)) ?? {});
    expect(seen).toEqual(stored(ALL));
    const seed = { mode: 'new', new_limit: NEW_LIMIT[0], per_download_delay: 0 };
    expect(await storedParams(server, 'start', WAYS[way]?.(seed) ?? {})).toMatchObject(NEW_LIMIT[1]);
  });

  it('by POST /resume has them too', async () => {
    const { server } = await open();
    const { mode: _, ...others } = ALL;
    const seen = await storedParams(server, 'resume', { body: given(others) });
    expect(seen).toEqual({ mode: 'resume', ...stored(others) });
    const last = (await call(server, 'latestRun')).json.run.id;
    const body = { run: last, max_retries: 4, per_download_delay: 0, limit: 1 };
    expect(await storedParams(server, 'resume', { body })).toMatchObject({ mode: 'resume', max_retries: 4, limit: 1 });
  });

  it('has a field for each in the form of the dashboard', async () => {
    const { server } = await open();
    const { startables } = (await call(server, 'startables')).json;
    const { schema } = startables.find(({ id }: { id: string }) => id === STARTABLE);
    const fields: FormField[] = fieldsOf(schema as JsonObject);
    // The source is what was chosen, and new_limit is the seed's word for limit.
    const { target_source: _, new_limit: __, ...shown } = MirrorParams.shape;
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(shown).sort());
    expect(fields.map(({ kind }) => kind)).not.toContain('json');
  });
});

describe('what is not understood is refused by name, and nothing is started', () => {
  it.each<[string, object, string]>([
    ['an unrelated form', form({ a: '1' }), '"a"'],
    ['an unrelated JSON', { body: { a: 1 } }, '"a"'],
    ['nothing', { body: {} }, 'mode'],
    ['nothing at all', {}, 'mode'],
    ['an empty form', form({}), 'mode'],
    ['a form with an empty mode', form({ mode: '', limit: '1' }), 'mode'],
    ['a misspelt parameter', { body: { mode: 'new', dryRun: true } }, '"dryRun"'],
    ['a misspelt parameter in params', { body: { startable: STARTABLE, params: { dryrun: true } } }, '"dryrun"'],
    ['a misspelt parameter beside params', { body: { startable: STARTABLE, params: {}, dryrun: true } }, '"dryrun"'],
    ['a misspelt parameter of a form', form({ mode: 'new', dry_rum: '1' }), '"dry_rum"'],
    ['a parameter in two places', { body: { mode: 'new', params: { mode: 'full' } } }, 'mode'],
    ['a parameter twice', { ...form({}), body: 'mode=new&dry_run=1&dry_run=0' }, 'dry_run'],
    ['two limits that differ', { body: { mode: 'new', limit: 1, new_limit: 2 } }, 'new_limit'],
    ['new_limit of a full run', { body: { mode: 'full', new_limit: 2 } }, 'new_limit'],
    ['a source other than the startable', { body: { startable: STARTABLE, target_source: 'nowhere' } }, 'nowhere'],
    ['a parameter in the query', { body: { mode: 'new' }, query: { dry_run: 1 } }, '"dry_run"'],
    ['params that are no JSON', form({ startable: STARTABLE, params: '{' }), 'params'],
    ['a mirror parameter for a scraper', scraper({ dry_run: true }), '"dry_run"'],
    ['an unknown setting', { body: { mode: 'new', settings: { rat: 'off' } } }, '"rat"'],
    ['a delay below zero', { body: { mode: 'new', per_download_delay: -1 } }, 'per_download_delay'],
    ['a delay that is no number', { body: { mode: 'new', per_download_delay: 'long' } }, 'per_download_delay'],
    ['no retries at all', { body: { mode: 'new', max_retries: 0 } }, 'max_retries'],
    ['a limit that is true', { body: { mode: 'new', limit: true } }, 'limit'],
    ['half a case', { body: { mode: 'new', limit: '1.5' } }, 'limit'],
  ])('%s', async (_, options, named) => {
    const { site, server } = await open();
    for (const route of ['start', 'scrape'] as const) {
      const { status, json } = await call(server, route, options);
      expect([status, json.message]).toEqual([400, expect.stringContaining(named)]);
    }
    expect((await call(server, 'listRuns')).json.rows).toEqual([]);
    expect(site.log.entries).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['nothing', { body: {} }, 'resume_strategy'],
    ['an unrelated form', form({ a: '1' }), '"a"'],
    ['another mode', { body: { mode: 'full', target_source: 'UJ' } }, 'mode'],
    ['new_limit', { body: { target_source: 'UJ', new_limit: 1 } }, '"new_limit"'],
  ])('by POST /resume: %s', async (_, options, named) => {
    const { site, server } = await open();
    const { status, json } = await call(server, 'resume', options);
    expect([status, json.message]).toEqual([400, expect.stringContaining(named)]);
    expect(site.log.entries).toEqual([]);
  });

  it('parameters of the mirror that the webhook does not take', async () => {
    const { site, server } = await open();
    const headers = { 'x-webhook-token': 'a secret of the webhook' };
    const good = { mode: 'new', target_source: 'UJ', new_limit: 1 };
    const { mode: _, target_source: __, new_limit: ___, ...others } = EFFECTS;
    for (const [name, [given]] of Object.entries(others)) {
      const { status, json } = await call(server, 'webhook', { headers, body: { ...good, [name]: given } });
      expect([name, status, json.details]).toEqual([name, 400, [expect.stringContaining(name)]]);
    }
    expect(site.log.entries).toEqual([]);
    // A watcher sends texts of its own along: they are no parameters.
    const told = { title: 'The page has changed', message: 'See there.' };
    expect((await call(server, 'webhook', { headers, body: { ...good, ...told } })).status).toBe(200);
  });

  it('by every route that changes something, in its body and in its query', async () => {
    const { server } = await open();
    const changing = Object.entries<Route>(ROUTES).filter(([, { needs }]) => needs === 'changing');
    expect(changing.length).toBeGreaterThan(10);
    const params = { id: 1, request: 1, site: 'court.example' };
    for (const [name] of changing as [RouteName, Route][]) {
      const inBody = await call(server, name, { params, body: { unheardOf: 1 } });
      expect([name, inBody.status, inBody.json.message]).toEqual([name, 400, expect.stringContaining('"unheardOf"')]);
      const inQuery = await call(server, name, { params, body: {}, query: { unheardOf: 1 } });
      expect([name, inQuery.status, inQuery.json.message]).toEqual([name, 400, expect.stringContaining('"unheardOf"')]);
    }
  });
});

describe('a scraper started over HTTP', () => {
  it('takes numbers and settings of a form as it takes those of JSON', async () => {
    const court = closing(await startCourt({ highest: 20 }));
    const server = await openServer(scratch('data'));
    const params = {
      speculators: { byNumber: { first: 3, last: 5, plus: 0 } },
      settings: { baseUrl: court.url, concurrency: 2, rate: 'off' },
    };
    const startable = 'scraper:examples/numbered-cases.ts';
    const ids: number[] = [];
    for (const options of [{ body: { startable, params } }, form({ startable, params })]) {
      const { status, json, headers } = await call(server, 'start', options);
      ids.push(status === 302 ? Number(String(headers.location).slice('/runs/'.length)) : json.run.id);
      await ended(server, ids.at(-1) ?? 0);
    }
    const seen = await Promise.all(ids.map(async (id) => (await call(server, 'run', { params: { id } })).json.run));
    expect(seen[1]?.settings).toEqual(seen[0]?.settings);
    expect(seen.map(({ counts }) => counts.done)).toEqual([3, 3]);
    expect(seen[0]?.settings).toMatchObject({ concurrency: 2, rate: 'off' });
  });
});

function scraper(flat: object) {
  return { body: { startable: 'scraper:examples/numbered-cases.ts', ...flat } };
}
