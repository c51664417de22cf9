// The services that tests and the fleet stand on: started in the background, found again, and stopped, and nothing else is.

import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { ownRedisOrSkip } from '../fixtures/services.ts';

const SERVICES = fileURLToPath(new URL('../../scripts/services.ts', import.meta.url));
const scratch = scratchDirectory();
const own = await ownRedisOrSkip();

async function services(args: readonly string[], environment: Record<string, string> = {}) {
  // Notes of what runs in the background are kept apart from those of the person who runs this.
  const given = { PAGE_FETCHER_REDIS_URL: '', REDIS_URL: '', XDG_CACHE_HOME: scratch(), ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [SERVICES, ...args], {
    env: { ...process.env, ...given },
  });
  return JSON.parse(stdout);
}

it('a Redis in the background is found again and stopped, and another one goes on', async () => {
  const { redis } = await services(['start', 'redis']);
  try {
    expect((await services(['start', 'redis'])).redis).toEqual(redis);
    const connection = await RedisConnection.open(redis.address, { clock });
    expect(await connection.run((client) => client.dbSize())).toBe(0);
    await connection.close();
  } finally {
    expect(await services(['stop', 'redis'])).toEqual({ redis: { state: 'stopped' } });
  }
  const gone = RedisConnection.open(redis.address, { clock, patienceMs: 100 });
  await expect(gone).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(access(redis.directory)).rejects.toThrow(/ENOENT/);
  expect(await services(['stop', 'redis'])).toEqual({ redis: { state: 'not running' } });
  const other = await RedisConnection.open(own?.address ?? '', { clock });
  await other.close();
});

it('one that the environment names is used as it is', async () => {
  const given = { PAGE_FETCHER_REDIS_URL: 'redis://elsewhere.example:6379' };
  expect(await services(['ensure', 'redis'], given)).toEqual({ redis: { url: given.PAGE_FETCHER_REDIS_URL } });
  expect(await services(['start', 'redis'], given)).toEqual({ redis: { address: given.PAGE_FETCHER_REDIS_URL } });
});

it('what is not known is a usage error', async () => {
  await expect(services(['ensure', 'oracle'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('oracle'),
  });
  await expect(services(['start', 'chromium'])).rejects.toMatchObject({ code: 2 });
  await expect(services([])).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') });
});
