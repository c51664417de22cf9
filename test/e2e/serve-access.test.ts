// Tokens and names of `curlew serve`, as they are given on the command line and in the environment.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { send, until } from '../server/server-setup.ts';

const scratch = scratchDirectory();
const TOKEN = 'the-token-that-changes-things';
const READ_TOKEN = 'the-token-that-only-reads';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function serve(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  startCurlew(['serve', '--data', scratch('data'), '--port', String(port), ...args], { env });
  const url = `http://127.0.0.1:${port}`;
  await until(
    () => send(`${url}/healthz`).catch(() => undefined),
    (answer) => answer?.status === 200,
  );
  return url;
}

const statusOf = async (url: string, headers: Record<string, string> = {}) => (await send(url, { headers })).status;

it.each<[string, string[], Record<string, string>]>([
  ['the option', ['--read-token', READ_TOKEN], {}],
  ['the variable', [], { CURLEW_READ_TOKEN: READ_TOKEN }],
])('a token that reads is needed for reading, by %s', async (_, args, env) => {
  const url = await serve(args, { CURLEW_TOKEN: TOKEN, ...env });
  expect(await statusOf(`${url}/api/overview`)).toBe(401);
  expect(await statusOf(`${url}/api/overview`, bearer(READ_TOKEN))).toBe(200);
  expect(await statusOf(`${url}/api/overview`, bearer(TOKEN))).toBe(200);
  const stop = (token: string) => send(`${url}/api/runs/1/stop`, { method: 'POST', headers: bearer(token) });
  expect([(await stop(READ_TOKEN)).status, (await stop(TOKEN)).status]).toEqual([403, 404]);
});

it.each<[string, string[], Record<string, string>]>([
  ['--require-login', ['--require-login'], {}],
  ['CURLEW_REQUIRE_LOGIN', [], { CURLEW_REQUIRE_LOGIN: '1' }],
])('%s asks for the token on loopback too', async (_, args, env) => {
  const url = await serve(args, { CURLEW_TOKEN: TOKEN, ...env });
  expect(await statusOf(`${url}/api/overview`)).toBe(401);
  expect(await statusOf(`${url}/api/overview`, bearer(TOKEN))).toBe(200);
});

it('off loopback it answers to its names only, and believes its own proxy only', async () => {
  const args = ['--host', '0.0.0.0', '--name', 'curlew.lan', '--name', 'records.lan', '--trusted-proxy', '192.0.2.1'];
  const url = await serve(args, { CURLEW_TOKEN: TOKEN });
  const of = (host: string) => statusOf(`${url}/api/overview`, { host, ...bearer(TOKEN) });
  expect([await of('curlew.lan'), await of('records.lan:80'), await of('evil.example')]).toEqual([200, 200, 403]);
  const wrong = (attempt: number) =>
    statusOf(`${url}/api/overview`, { ...bearer(`wrong ${attempt}`), 'x-forwarded-for': `192.0.2.${attempt + 10}` });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) statuses.push(await wrong(attempt));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await of('curlew.lan')).toBe(200);
});

it.each<[string, string[], Record<string, string>, string]>([
  ['no token off loopback', ['--host', '0.0.0.0'], {}, 'CURLEW_TOKEN'],
  ['a short token', [], { CURLEW_TOKEN: 'short' }, 'at least 16'],
  ['a short token that reads', ['--read-token', 'short'], {}, 'at least 16'],
  ['a required login without a token', ['--require-login'], {}, 'A login is required'],
  ['a setting that is neither yes nor no', [], { CURLEW_REQUIRE_LOGIN: 'perhaps' }, 'CURLEW_REQUIRE_LOGIN'],
  ['a proxy by its name', ['--trusted-proxy', 'proxy.example'], {}, 'trusted proxy'],
])('it does not start with %s', async (_, args, env, said) => {
  const { code, stderr } = await curlew(['serve', '--data', scratch('data'), '--port', '0', ...args], {
    env: { CURLEW_TOKEN: '', ...env },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});
