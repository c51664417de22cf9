// The webhook: its secret, its parameters, its answers, on the real mirror.

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { envOf } from '../mirror/scrape-setup.ts';
import { type Answer, call, ended, type NamedCall, openServer, quietEnv, type TestServer } from './server-setup.ts';

const scratch = scratchDirectory();
const SECRET = 'hunter2-and-more';
const GOOD = { mode: 'new', target_source: 'unreported_judgments' };
const headers = { 'x-webhook-token': SECRET };
const formHeaders = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };

const hook = (server: TestServer, options: NamedCall): Promise<Answer> => call(server, 'webhook', options);

/** A server without a site: whatever is begun fails, whatever is refused is refused before. */
const guarded = (env: Record<string, string> = {}) =>
  openServer(scratch('data'), { env: quietEnv({ BAILIIKC_WEBHOOK_SHARED_SECRET: SECRET, ...env }) });

describe('the secret of the webhook', () => {
  it('unset: there is no webhook', async () => {
    const server = await openServer(scratch('data'), { env: quietEnv({ BAILIIKC_WEBHOOK_SHARED_SECRET: '' }) });
    const { status, json } = await hook(server, { headers, body: GOOD });
    expect([status, json]).toEqual([404, { ok: false, error: 'webhook_disabled' }]);
  });

  it.each([
    ['missing', {}],
    ['wrong in the header', { headers: { 'x-webhook-token': 'hunter2' } }],
    ['wrong in the query', { query: { token: `${SECRET}x` } }],
    ['empty', { query: { token: '' } }],
    [
      'wrong in the header though right in the query',
      { headers: { 'x-webhook-token': 'x' }, query: { token: SECRET } },
    ],
  ])('%s: 403, and an event without it', async (_, options) => {
    const server = await guarded();
    const { status, json } = await hook(server, { body: GOOD, ...options });
    expect([status, json]).toEqual([403, { ok: false, error: 'invalid_token' }]);
    const log = await readFile(scratch('data', 'logs', 'latest.log'), 'utf8');
    expect(log).toMatch(/\[SCRAPER\]\[ERROR\] .*phase=webhook/);
    expect(log + server.logged.join()).not.toContain('hunter2');
  });
});

describe('the parameters of the webhook', () => {
  const MODE = 'mode must be "new"';
  const TARGET = 'target_source must be "unreported_judgments"';

  it.each<[string, NamedCall, string[]]>([
    ['nothing', {}, [MODE, TARGET]],
    ['another mode', { body: { ...GOOD, mode: 'full' } }, [MODE]],
    ['another source', { body: { ...GOOD, target_source: 'public_registers' } }, [TARGET]],
    ['a source that is no text', { body: { ...GOOD, target_source: 7 } }, [TARGET]],
    ['a blank source', { body: { ...GOOD, target_source: ' ' } }, [TARGET]],
    ['a limit of 0', { body: { ...GOOD, new_limit: 0 } }, ['new_limit must be at least 1']],
    ['a limit below', { body: { ...GOOD, new_limit: '-3' } }, ['new_limit must be at least 1']],
    ['a limit that is no number', { body: { ...GOOD, new_limit: 'many' } }, ['new_limit must be a whole number']],
    ['half a case', { body: { ...GOOD, new_limit: 1.5 } }, ['new_limit must be a whole number']],
    ['a bad one as JSON over a good query', { query: { ...GOOD }, body: { mode: 'full' } }, [MODE]],
    ['a bad one as form over a good query', { query: { ...GOOD }, headers: formHeaders, body: 'mode=full' }, [MODE]],
    ['a bad query', { query: { ...GOOD, new_limit: 0 } }, ['new_limit must be at least 1']],
  ])('%s: 400', async (_, options, details) => {
    const server = await guarded();
    const { status, json } = await hook(server, { headers, ...options });
    expect([status, json]).toEqual([400, { ok: false, error: 'invalid_params', details }]);
  });

  it('cannot be read as JSON: 400', async () => {
    const server = await guarded();
    const { status } = await hook(server, { headers: { ...headers, 'content-type': 'application/json' }, body: '{' });
    expect(status).toBe(400);
  });

  it('are good, and the settings are not: 500', async () => {
    const server = await guarded({ BAILIIKC_REPLAY_SKIP_NETWORK: '1' });
    const { status, json } = await hook(server, { headers, body: GOOD });
    expect([status, json]).toEqual([500, { ok: false, error: 'config_invalid' }]);
  });
});

describe('the webhook', () => {
  const startSite = async () => closing(await startJudicialKy({ seed: 7, cases: 40 }));

  async function open(env: Record<string, string> = {}, site?: RunningJudicialKy): Promise<TestServer> {
    const place = envOf(site ?? (await startSite()));
    const settings = { ...place, BAILIIKC_WEBHOOK_SHARED_SECRET: SECRET, ...env };
    return openServer(scratch('data'), { env: quietEnv(settings) });
  }

  it('fetches what is new and says what came of it: JSON, form and query, by any name of the source', async () => {
    const server = await open();
    const summary = { processed: 1, downloaded: 1, skipped: 0, failed: 0 };
    const good = {
      ok: true,
      entrypoint: 'webhook',
      mode: 'new',
      target_source: 'unreported_judgments',
      csv_version_id: 1,
      summary,
    };
    const calls: NamedCall[] = [
      { headers, body: { ...GOOD, new_limit: 1 } },
      { headers: formHeaders, body: 'mode=new&target_source=Unreported+Judgments&new_limit=1' },
      { headers, query: { mode: 'new', target_source: 'UJ', new_limit: 1 } },
      // JSON beats the query.
      { query: { token: SECRET, mode: 'full', new_limit: 9, target_source: 'x' }, body: { ...GOOD, new_limit: 1 } },
    ];
    for (const [index, options] of calls.entries()) {
      const { status, json } = await hook(server, options);
      expect([status, json]).toEqual([200, { ...good, run_id: index + 1 }]);
    }
    const { json } = await call(server, 'dbRuns');
    expect(json.runs.map(({ trigger, mode }: Record<string, string>) => [trigger, mode])).toEqual(
      Array(4).fill(['webhook', 'new']),
    );
  });

  it('says when the index could not be brought up to date: nothing new is then no news', async () => {
    const site = await startSite();
    const server = await open({}, site);
    expect((await hook(server, { headers, body: { ...GOOD, new_limit: 1 } })).json).not.toHaveProperty('problems');
    site.faults.set({ kind: 'status', status: 404, path: new URL(site.csvUrl).pathname });
    const { status, json } = await hook(server, { headers, body: { ...GOOD, new_limit: 1 } });
    expect([status, json]).toMatchObject([
      200,
      {
        run_id: 2,
        csv_version_id: 1,
        problems: [{ code: 'index_not_confirmed', message: expect.stringMatching(/404/) }],
      },
    ]);
  });

  it('takes no more than it may, and says so in an event', async () => {
    const server = await open({ BAILIIKC_WEBHOOK_NEW_LIMIT_MAX: '2', BAILIIKC_SCRAPE_NEW_LIMIT: '1' });
    expect((await hook(server, { headers, body: { ...GOOD, new_limit: 500 } })).json.summary.processed).toBe(2);
    const ledger = closing(await Ledger.open(scratch('data'), { clock: systemClock, readOnly: true }));
    const events = await ledger.reports.eventsAfter(0, undefined, 10_000);
    expect(events.map(({ data }) => data)).toContainEqual({
      phase: 'webhook',
      kind: 'limit_clamped',
      asked: 500,
      limit: 2,
    });
    expect((await hook(server, { headers, body: GOOD })).json.summary.processed).toBe(1);
  });

  it('begins one run of two that come at once, and answers at once when asked to', async () => {
    const site = await startSite();
    const server = await open({}, site);
    const body = { ...GOOD, new_limit: 2 };
    // The one that begins is not over before the other has tried.
    site.faults.set({ kind: 'hold' });
    const calls = [hook(server, { headers, body }), hook(server, { headers, body })];
    await Promise.race(calls);
    await site.faults.clear();
    const both = await Promise.all(calls);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.json.error).toBe('run_in_progress');
    expect((await call(server, 'dbRuns')).json.count).toBe(1);

    const begun = await hook(server, { headers, body, query: { async: 1 } });
    expect([begun.status, begun.json]).toEqual([202, { ok: true, run_id: 2, url: '/api/runs/2' }]);
    expect(await ended(server, 2)).toMatchObject({ state: 'completed', downloads: { downloaded: 2 } });
  });
});
