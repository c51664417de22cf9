// Who may do what, and what a browser may do with what it gets.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer, send } from './server-setup.ts';

const scratch = scratchDirectory();
const TOKEN = 'correct-horse-battery-staple';
const drop = { body: { all: true } };
const open = (host = '0.0.0.0') => openServer(scratch('data'), { host, token: TOKEN });

/** Where a server that listens everywhere can be reached. */
const near = (url: string) => url.replace('0.0.0.0', '127.0.0.1');

describe('off loopback', () => {
  it.each([undefined, ''])('the server does not start with the token %j', async (token) => {
    await expect(openServer(scratch('data'), { host: '0.0.0.0', token })).rejects.toMatchObject({
      code: 'usage',
      remedy: expect.stringContaining('CURLEW_TOKEN'),
    });
  });

  it('behind a reverse proxy it does not start without one either', async () => {
    const publicUrl = new URL('https://records.example');
    await expect(openServer(scratch('data'), { publicUrl })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a script changes things with the token, and not without', async () => {
    const server = await open();
    const at = { ...server, url: near(server.url) };
    const withToken = (token: string) => ({ ...drop, headers: { authorization: `Bearer ${token}` } });
    expect((await call(at, 'dropDeadLetters', drop)).json.error).toBe('login_needed');
    expect((await call(at, 'dropDeadLetters', withToken('wrong'))).json.error).toBe('invalid_token');
    expect((await call(at, 'dropDeadLetters', withToken(TOKEN))).status).toBe(200);
    expect((await call(at, 'overview')).status).toBe(200);
  });

  it('a browser logs in, and each change carries its CSRF value', async () => {
    const server = await open();
    const at = { ...server, url: near(server.url) };
    expect((await call(at, 'session')).json).toMatchObject({ loginNeeded: true, loggedIn: false });
    const login = await call(at, 'login', { body: { token: TOKEN } });
    const [cookie = ''] = login.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^curlew_session=[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const session = { cookie: cookie.split(';', 1)[0] ?? '' };
    expect((await call(at, 'session', { headers: session })).json).toEqual({
      ok: true,
      loginNeeded: true,
      loggedIn: true,
      csrf: login.json.csrf,
    });
    expect((await call(at, 'dropDeadLetters', { ...drop, headers: session })).json.error).toBe('bad_csrf');
    const good = { ...session, 'x-curlew-csrf': login.json.csrf };
    expect((await call(at, 'dropDeadLetters', { ...drop, headers: good })).status).toBe(200);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = { headers: { ...session, ...type }, body: `startable=nothing&csrf=${login.json.csrf}` };
    expect((await call(at, 'start', form)).json.error).toBe('unknown_startable');
    await call(at, 'logout', { headers: good });
    expect((await call(at, 'dropDeadLetters', { ...drop, headers: good })).json.error).toBe('login_needed');
  });

  it('cookies are for TLS only where people come by TLS', async () => {
    const server = await openServer(scratch('data'), { token: TOKEN, publicUrl: new URL('https://records.example') });
    const headers = { host: 'records.example', origin: 'https://records.example' };
    const login = await call(server, 'login', { headers, body: { token: TOKEN } });
    expect(login.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });

  it('who is wrong too often has to wait, also with the right token', async () => {
    const server = await open();
    const at = { ...server, url: near(server.url) };
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await call(at, 'login', { body: { token: `wrong ${attempt}` } })).status).toBe(401);
    }
    const { status, headers } = await call(at, 'login', { body: { token: TOKEN } });
    expect([status, Number(headers['retry-after'])]).toEqual([429, expect.toSatisfy((s: number) => s > 0 && s <= 60)]);
    expect(server.logged.join()).not.toContain(TOKEN);
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
