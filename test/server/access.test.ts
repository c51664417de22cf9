// Who may do what, and what a browser may do with what it gets.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../src/server/server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { look } from '../mirror/scrape-setup.ts';
import { call, openServer, quietEnv, send, type TestServer } from './server-setup.ts';

const scratch = scratchDirectory();
const TOKEN = 'correct-horse-battery-staple';
const READ_TOKEN = 'only-for-those-who-read';
const drop = { body: { all: true } };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A server that others can reach, by the address at which this machine reaches it. */
async function open(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const server = await openServer(scratch('data'), { host: '0.0.0.0', token: TOKEN, ...options });
  return { ...server, url: server.url.replace('0.0.0.0', '127.0.0.1') };
}

describe('a token', () => {
  it.each([undefined, '', '  '])('%j is none, and the server does not start off loopback', async (token) => {
    await expect(openServer(scratch('data'), { host: '0.0.0.0', token })).rejects.toMatchObject({
      code: 'usage',
      remedy: expect.stringContaining('CURLEW_TOKEN'),
    });
  });

  it.each<Partial<ServerOptions>>([
    { publicUrl: new URL('https://records.example') },
    { requireLogin: true },
    { token: 'fifteen-letters' },
    { readToken: 'fifteen-letters' },
    { host: '0.0.0.0', token: 'fifteen-letters' },
    { token: TOKEN, readToken: TOKEN },
    { token: 'sixteen letters and spaces' },
    { host: '0.0.0.0', token: TOKEN, trustedProxies: ['proxy.example'] },
  ])('is refused, or missing, at the start with %j', async (options) => {
    await expect(openServer(scratch('data'), options)).rejects.toMatchObject({ code: 'usage' });
  });

  it('of 16 characters is enough', async () => {
    const server = await open({ token: 'sixteen-letters!' });
    expect((await call(server, 'overview', { headers: bearer('sixteen-letters!') })).status).toBe(200);
  });
});

describe('where others can reach the server', () => {
  it('a script reads and changes things with the token, and does nothing without', async () => {
    const server = await open();
    expect((await call(server, 'dropDeadLetters', drop)).json.error).toBe('login_needed');
    expect((await call(server, 'overview')).json.error).toBe('login_needed');
    const wrong = await call(server, 'overview', { headers: bearer('wrong') });
    expect([wrong.status, wrong.json.error, wrong.headers['www-authenticate']]).toEqual([
      401,
      'invalid_token',
      'Bearer realm="curlew"',
    ]);
    expect((await call(server, 'dropDeadLetters', { ...drop, headers: bearer(TOKEN) })).status).toBe(200);
    expect((await call(server, 'overview', { headers: bearer(TOKEN) })).status).toBe(200);
  });

  it.each<[string, Partial<ServerOptions>]>([
    ['off loopback', { host: '0.0.0.0', token: TOKEN }],
    ['off loopback with the token that reads alone', { host: '0.0.0.0', readToken: READ_TOKEN }],
    ['behind a reverse proxy', { token: TOKEN, publicUrl: new URL('https://records.example') }],
    ['on loopback where a login is required', { token: TOKEN, requireLogin: true }],
    ['on loopback with a token that reads', { readToken: READ_TOKEN }],
  ])('every route there is needs a token: %s', async (_, options) => {
    const server = await open({ host: '127.0.0.1', token: undefined, ...options });
    const open_ = ['GET /healthz', 'GET /api/session', 'POST /api/session', 'DELETE /api/session'];
    const own = [...open_, 'HEAD /healthz', 'HEAD /api/session', 'POST /webhook/changedetection'];
    expect(server.routes.length).toBeGreaterThan(80);
    const seen: string[] = [];
    for (const { method, path } of server.routes) {
      const url = server.url + path.replace(/:\w+/g, '1').replace('*', 'x');
      const { status, text } = await send(url, { method });
      const name = `${method} ${path}`;
      if (status !== 401) seen.push(name);
      else if (method !== 'HEAD') expect([name, JSON.parse(text).error]).toEqual([name, 'login_needed']);
    }
    expect(seen.sort()).toEqual(own.sort());
  });

  it('what is open tells nothing', async () => {
    const server = await open();
    expect((await call(server, 'liveness')).json).toEqual({ ok: true });
    expect((await call(server, 'session')).json).toEqual({
      ok: true,
      loginNeeded: true,
      loggedIn: false,
      mayChange: false,
      csrf: null,
    });
    const page = { headers: { accept: 'text/html' } };
    for (const path of ['/', '/report', '/runs/1']) {
      const { status, headers } = await send(server.url + path, page);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
    expect((await send(`${server.url}/report`)).status).toBe(401);
    expect((await send(`${server.url}/api/nothing`)).status).toBe(404);
  });

  it('the token that reads reads, and changes nothing', async () => {
    const server = await open({ readToken: READ_TOKEN });
    const headers = bearer(READ_TOKEN);
    for (const name of ['overview', 'metrics', 'openapi', 'health', 'listRuns', 'exportCases'] as const) {
      expect([name, (await call(server, name, { headers })).status]).toEqual([name, 200]);
    }
    expect((await call(server, 'dropDeadLetters', { ...drop, headers })).json.error).toBe('read_only');
    const login = await call(server, 'login', { body: { token: READ_TOKEN } });
    const [cookie = ''] = login.headers['set-cookie'] ?? [];
    const session = { cookie: cookie.split(';', 1)[0] ?? '', 'x-curlew-csrf': login.json.csrf };
    expect((await call(server, 'session', { headers: session })).json).toMatchObject({
      loggedIn: true,
      mayChange: false,
    });
    expect((await call(server, 'overview', { headers: session })).status).toBe(200);
    expect((await call(server, 'dropDeadLetters', { ...drop, headers: session })).json.error).toBe('read_only');
    await call(server, 'logout', { headers: session });
    expect((await call(server, 'overview', { headers: session })).json.error).toBe('login_needed');
  });

  it('the stream of events needs a login too, and gives it to a browser by its cookie', async () => {
    const server = await open();
    expect((await send(`${server.url}/api/events/stream`)).status).toBe(401);
    const login = await call(server, 'login', { body: { token: TOKEN } });
    const [cookie = ''] = login.headers['set-cookie'] ?? [];
    const stream = await fetch(`${server.url}/api/events/stream`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it('a browser logs in, and each change carries its CSRF value', async () => {
    const server = await open();
    const login = await call(server, 'login', { body: { token: TOKEN } });
    const [cookie = ''] = login.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^curlew_session=[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const session = { cookie: cookie.split(';', 1)[0] ?? '' };
    expect((await call(server, 'session', { headers: session })).json).toEqual({
      ok: true,
      loginNeeded: true,
      loggedIn: true,
      mayChange: true,
      csrf: login.json.csrf,
    });
    expect((await call(server, 'dropDeadLetters', { ...drop, headers: session })).json.error).toBe('bad_csrf');
    const good = { ...session, 'x-curlew-csrf': login.json.csrf };
    expect((await call(server, 'dropDeadLetters', { ...drop, headers: good })).status).toBe(200);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = { headers: { ...session, ...type }, body: `startable=nothing&csrf=${login.json.csrf}` };
    expect((await call(server, 'start', form)).json.error).toBe('unknown_startable');
    await call(server, 'logout', { headers: good });
    expect((await call(server, 'dropDeadLetters', { ...drop, headers: good })).json.error).toBe('login_needed');
  });

  it('cookies are for TLS only where people come by TLS', async () => {
    const server = await openServer(scratch('data'), { token: TOKEN, publicUrl: new URL('https://records.example') });
    const headers = { host: 'records.example', origin: 'https://records.example' };
    const login = await call(server, 'login', { headers, body: { token: TOKEN } });
    expect(login.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });
});

describe('who sends wrong tokens', () => {
  it('is told to wait, and does not lock out the right one', async () => {
    const server = await open({ readToken: READ_TOKEN });
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await call(server, 'login', { body: { token: `wrong ${attempt}` } })).status).toBe(401);
    }
    const { status, headers } = await call(server, 'overview', { headers: bearer('wrong again') });
    expect([status, Number(headers['retry-after'])]).toEqual([429, expect.toSatisfy((s: number) => s > 0 && s <= 60)]);
    for (const token of [TOKEN, READ_TOKEN]) {
      expect((await call(server, 'overview', { headers: bearer(token) })).status).toBe(200);
      expect((await call(server, 'login', { body: { token } })).status).toBe(200);
    }
    // A right one does not make the wrong ones free again.
    expect((await call(server, 'login', { body: { token: 'wrong still' } })).status).toBe(429);
    expect(server.logged.join()).not.toContain(TOKEN);
  });

  const wrong = (server: TestServer, attempt: number, from: string) =>
    call(server, 'overview', { headers: { ...bearer(`wrong ${attempt} of ${from}`), 'x-forwarded-for': from } });

  it('cannot take another address by X-Forwarded-For', async () => {
    const server = await open();
    for (let attempt = 0; attempt < 5; attempt++) await wrong(server, attempt, `192.0.2.${attempt}`);
    expect((await wrong(server, 5, '192.0.2.99')).status).toBe(429);
  });

  it('is known by X-Forwarded-For behind a proxy that is trusted', async () => {
    const server = await open({ trustedProxies: ['127.0.0.0/8'] });
    for (let attempt = 0; attempt < 5; attempt++) await wrong(server, attempt, '192.0.2.1');
    expect((await wrong(server, 5, '192.0.2.1')).status).toBe(429);
    expect((await wrong(server, 6, '192.0.2.2')).status).toBe(401);
    // The last one is what the proxy saw; what stands before it anybody can write.
    expect((await wrong(server, 7, '192.0.2.77, 192.0.2.1')).status).toBe(429);
  });

  it('of the webhook waits too, fills no ledger, and does not lock out the watcher', async () => {
    const secret = 'the secret of the webhook';
    const env = quietEnv({ BAILIIKC_WEBHOOK_SHARED_SECRET: secret, BAILIIKC_REPLAY_SKIP_NETWORK: '1' });
    const server = await openServer(scratch('data'), { env });
    const body = { mode: 'new', target_source: 'UJ' };
    const hook = (token: string) => call(server, 'webhook', { body, headers: { 'x-webhook-token': token } });
    for (let attempt = 0; attempt < 5; attempt++) expect((await hook(`wrong ${attempt}`)).status).toBe(403);
    const refused = await Promise.all(Array.from({ length: 20 }, (_, n) => hook(`more ${n}`)));
    expect(refused.map(({ status }) => status)).toEqual(Array(20).fill(429));
    // Known by its secret; what it asks for cannot be done with these settings.
    expect((await hook(secret)).json.error).toBe('config_invalid');
    const events = await look(scratch('data'), (ledger) => ledger.reports.eventsAfter(0, undefined, 1_000));
    expect(events).toHaveLength(5);
  });
});

describe('a page of another origin', () => {
  it.each([
    ['names itself', { origin: 'https://evil.example' }],
    ['hides its name', { origin: 'null' }],
    ['is on another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['says so', { 'sec-fetch-site': 'cross-site' }],
  ])('%s, and changes nothing', async (_, headers) => {
    const server = await openServer(scratch('data'));
    expect((await call(server, 'dropDeadLetters', { ...drop, headers })).json.error).toBe('bad_origin');
    expect((await call(server, 'login', { body: { token: TOKEN }, headers })).json.error).toBe('bad_origin');
  });

  it('our own page may', async () => {
    const server = await openServer(scratch('data'));
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect((await call(server, 'dropDeadLetters', { ...drop, headers })).status).toBe(200);
  });
});

describe('a call', () => {
  it.each(['localhost', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST:1'])('for the host %s is for us', async (host) => {
    const server = await openServer(scratch('data'));
    expect((await call(server, 'session', { headers: { host } })).status).toBe(200);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'x y'])(
    'for the host %s is not',
    async (host) => {
      const server = await openServer(scratch('data'));
      expect((await call(server, 'session', { headers: { host } })).json.error).toBe('bad_host');
    },
  );

  it.each([
    'evil.example',
    '10.0.0.1',
    '127.0.0.1@evil.example',
    'evil.example@127.0.0.1',
    'records.example.evil.example',
  ])('for the host %s is not, where others can reach the server', async (host) => {
    const server = await open({ publicUrl: new URL('https://records.example') });
    const headers = { host, ...bearer(TOKEN) };
    expect((await call(server, 'overview', { headers })).json.error).toBe('bad_host');
    expect((await call(server, 'liveness', { headers })).json.error).toBe('bad_host');
    expect((await send(`${server.url}/`, { headers: { host } })).json.error).toBe('bad_host');
  });

  it.each(['127.0.0.1', 'localhost:8080', 'records.example', 'RECORDS.example:443', 'curlew.lan', 'curlew.lan:8080'])(
    'for the host %s is for us, where the server has these names',
    async (host) => {
      const server = await open({ publicUrl: new URL('https://records.example'), names: ['Curlew.lan'] });
      expect((await call(server, 'overview', { headers: { host, ...bearer(TOKEN) } })).status).toBe(200);
    },
  );

  it('for the address at which it was reached is for us', async () => {
    const server = await openServer(scratch('data'), { host: '0.0.0.0', token: TOKEN });
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
    const url = server.url.replace('0.0.0.0', address ?? '127.0.0.1');
    expect((await call({ ...server, url }, 'overview', { headers: bearer(TOKEN) })).status).toBe(200);
  });

  it('with too large a body is refused', async () => {
    const server = await openServer(scratch('data'));
    const { status, json } = await send(`${server.url}/start`, {
      method: 'POST',
      body: { startable: 'x'.repeat(70_000) },
    });
    expect([status, json.error]).toEqual([413, 'body_too_large']);
  });

  it('that is no JSON, or of a type nobody reads, is refused', async () => {
    const server = await openServer(scratch('data'));
    const post = (type: string) =>
      send(`${server.url}/start`, { method: 'POST', headers: { 'content-type': type }, body: '{' });
    expect((await post('application/json')).status).toBe(400);
    expect((await post('text/plain')).json).toMatchObject({ ok: false });
    expect((await post('image/png')).json).toMatchObject({ error: 'unsupported_media_type' });
  });
});

describe('what a browser gets', () => {
  it('runs nothing but our own files', async () => {
    const server = await openServer(scratch('data'));
    for (const path of ['/', '/api/session', '/api/nothing', '/files/x', '/metrics']) {
      const { headers } = await send(`${server.url}${path}`);
      const policy = String(headers['content-security-policy']);
      expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self'")]);
      expect(policy).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('is the dashboard on every page, and its files from the built directory only', async () => {
    await mkdir(scratch('web', 'assets'), { recursive: true });
    await writeFile(scratch('web', 'index.html'), '<!doctype html><title>Curlew</title>');
    await writeFile(scratch('web', 'assets', 'app-1a2b3c4d.js'), 'let x;');
    await writeFile(scratch('secret.txt'), 'secret');
    const server = await openServer(scratch('data'), { web: scratch('web') });
    const page = { headers: { accept: 'text/html,*/*' } };
    for (const path of ['/', '/runs/7', '/report', '/start']) {
      expect((await send(server.url + path, page)).text).toContain('<title>Curlew</title>');
    }
    const script = await send(`${server.url}/assets/app-1a2b3c4d.js`);
    expect([script.headers['content-type'], script.headers['cache-control']]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
    ]) {
      expect((await send(server.url + path)).text).not.toBe('secret');
    }
  });

  it('says how to build the dashboard when it is not built', async () => {
    const server = await openServer(scratch('data'), { web: scratch('nowhere') });
    expect((await send(`${server.url}/`)).text).toContain('npm run build');
  });

  it.each([
    '../ledger.sqlite',
    '..%2f..%2fledger.sqlite',
    'unreported_judgments/..%2f..%2f..%2fledger.sqlite',
    'unreported_judgments/%2e%2e/%2e%2e/ledger.sqlite',
    'unreported_judgments/.partial',
    '.partial/X.pdf',
    'unreported_judgments/X.pdf%00',
    'unreported_judgments/a/b.pdf',
  ])('is no file but a PDF of a case: /files/%s', async (path) => {
    const server = await openServer(scratch('data'));
    const { status, text } = await send(`${server.url}/files/${path}`);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain('SQLite');
  });

  it('is no file that a link leads to', async () => {
    const server = await openServer(scratch('data'));
    await mkdir(scratch('data', 'pdfs', 'unreported_judgments'), { recursive: true });
    await symlink(scratch('data', 'ledger.sqlite'), scratch('data', 'pdfs', 'unreported_judgments', 'X.pdf'));
    expect((await send(`${server.url}/files/unreported_judgments/X.pdf`)).status).toBe(404);
  });
});
