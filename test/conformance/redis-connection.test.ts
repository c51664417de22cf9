// The connection goes on through a restart, tells what it cannot reach, and never hides what Redis says.

import { expect, it, onTestFinished } from 'vitest';
import { luaScript } from '../../src/fetcher/redis/lua-script.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { ownRedisOrSkip } from '../fixtures/services.ts';

const redis = await ownRedisOrSkip();

async function connect(): Promise<RedisConnection> {
  const connection = await RedisConnection.open(redis?.address ?? '', { clock });
  onTestFinished(() => connection.close());
  return connection;
}

const echo = luaScript('return { ARGV[1], now_ms }');

it('runs a script that Redis has never seen, has seen, and has forgotten', async () => {
  const connection = await connect();
  for (const text of ['new', 'known']) {
    expect(await connection.script(echo, [], [text])).toEqual([text, expect.any(Number)]);
  }
  await connection.run((client) => client.scriptFlush());
  expect(await connection.script(echo, [], ['forgotten'])).toEqual(['forgotten', expect.any(Number)]);
});

it('waits for a Redis that is restarted', async () => {
  const connection = await connect();
  await connection.run((client) => client.set('key', 'kept'));
  await redis?.kill();
  const answer = connection.run((client) => client.get('key'));
  await redis?.start();
  expect(await answer).toBe('kept');
  expect(connection.isReady).toBe(true);
});

it('throws what Redis refuses, at once', async () => {
  const connection = await connect();
  await connection.run((client) => client.set('text', 'x'));
  await expect(connection.run((client) => client.lPush('text', 'y'))).rejects.toThrow(/WRONGTYPE/);
});

it('says which Redis does not answer, without its password', async () => {
  const opening = RedisConnection.open('redis://user:hunter2@127.0.0.1:1', { clock, patienceMs: 200 });
  const error = await opening.catch((caught) => caught);
  expect(error).toMatchObject({
    code: 'service_unavailable',
    remedy: expect.stringContaining('PAGE_FETCHER_REDIS_URL'),
  });
  expect(error.message).toContain('127.0.0.1:1');
  expect(error.message).not.toContain('hunter2');
});

it('tells of trouble, and lets waiting operations fail when it is closed', async () => {
  const troubles: Error[] = [];
  const connection = await RedisConnection.open(redis?.address ?? '', {
    clock,
    onTrouble: (error) => troubles.push(error),
  });
  await redis?.kill();
  const waiting = connection.run((client) => client.get('key'));
  await expect.poll(() => troubles.length).toBeGreaterThan(0);
  expect(connection.isReady).toBe(false);
  await connection.close();
  await connection.close();
  await expect(waiting).rejects.toThrow();
  await redis?.start();
});
