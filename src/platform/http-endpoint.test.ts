import { expect, it } from 'vitest';
import { closing } from '../../test/fixtures/closing.ts';
import { listenHttp } from './http-endpoint.ts';

const answer = async (path: string) => {
  if (path === '/broken') throw new Error('it broke');
  return path === '/there' ? { status: 200, type: 'text/plain', body: 'hello\n' } : undefined;
};

it('answers what it knows, and says no to everything else', async () => {
  const { url } = closing(await listenHttp('127.0.0.1', 0, answer));
  const statusOf = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;
  expect(await (await fetch(`${url}/there?now`)).text()).toBe('hello\n');
  expect(await statusOf('/there', { method: 'HEAD' })).toBe(200);
  expect(await statusOf('/elsewhere')).toBe(404);
  expect(await statusOf('/there', { method: 'POST' })).toBe(405);
  expect(await statusOf('/broken')).toBe(500);
});

it('says that a port is taken', async () => {
  const { url } = closing(await listenHttp('127.0.0.1', 0, answer));
  const { port } = new URL(url);
  await expect(listenHttp('127.0.0.1', Number(port), answer)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`127.0.0.1:${port}`),
  });
});
