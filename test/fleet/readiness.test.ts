// What a worker says of itself while Redis answers and refuses: it is not ready, for the reason that Redis gives, it says so once,
// blames nobody else, and goes on by itself.

import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redis as redisService } from '../../scripts/services/redis.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { startBigPages } from './big-pages.ts';
import { type Fleet, ownFleet, startWorker, type WorkerProcess } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();
const often = { interval: 200 };

async function commands(address = redis?.address ?? ''): Promise<(...command: string[]) => Promise<unknown>> {
  const connection = await RedisConnection.open(address, { clock });
  onTestFinished(() => connection.close());
  return (...command) => connection.run((client) => client.sendCommand(command));
}

const readiness = async (worker: WorkerProcess) => {
  const { status, text } = await worker.ask('/readyz');
  return { status, ...JSON.parse(text) };
};

const READY = { status: 200, ready: true, redis: true, kafka: true, reasons: {} };
const notReady = (reason: string) => ({
  status: 503,
  ready: false,
  redis: false,
  kafka: true,
  reasons: { redis: expect.stringContaining(reason) },
});

const said = (worker: WorkerProcess, event: string) => worker.lines.filter((line) => line.event === event).length;

/** A worker that works, and whose Redis is then `refusing`; it goes on when it is `allowing` again. */
async function expectRefusal(
  fleet: Fleet,
  reason: string,
  refuse: () => Promise<unknown>,
  allow: () => Promise<unknown>,
): Promise<void> {
  const pages = await startBigPages(1_000);
  const worker = startWorker(fleet.env);
  await worker.says('started');
  await expect.poll(() => readiness(worker), often).toEqual(READY);
  await refuse();
  await expect.poll(() => readiness(worker), often).toEqual(notReady(reason));
  // A busy machine may have made it wait for Redis before, which it tells of too.
  const isRefusal = (line: WorkerProcess['lines'][number]) =>
    line.event === 'redis_away' && String(line.reason).includes(reason);
  await expect.poll(() => worker.lines.findIndex(isRefusal), often).toBeGreaterThan(-1);
  const refusedAt = worker.lines.findIndex(isRefusal);
  // Several rounds of every loop of the worker, in which it has to stay as it is.
  const asked = [];
  for (let round = 0; round < 12; round++) {
    asked.push((await readiness(worker)).redis);
    await clock.sleep(250);
  }
  expect(new Set(asked)).toEqual(new Set([false]));
  const since = worker.lines.slice(refusedAt).map(({ event }) => event);
  expect(since).not.toContain('redis_back');
  expect(since.filter((event) => event === 'redis_away').length).toBeLessThanOrEqual(3);
  await allow();
  const backSince = () => worker.lines.slice(refusedAt).filter(({ event }) => event === 'redis_back').length;
  await expect.poll(backSince, often).toBe(1);
  await expect.poll(() => readiness(worker), often).toEqual(READY);
  await fleet.queue.enqueue([`${pages.url}/page/1`]);
  await fleet.finished();
  expect(await fleet.events()).toHaveLength(1);
  expect(said(worker, 'kafka_away')).toBe(0);
}

const fleetAs = async (user?: string): Promise<Fleet> => {
  const address = new URL(redis?.address ?? '');
  if (user !== undefined) [address.username, address.password] = [user, 'secret'];
  const fleet = await ownFleet(redis?.address ?? '', kafka?.address ?? '', { PAGE_FETCHER_ROBOTS: 'off' });
  return { ...fleet, env: { ...fleet.env, PAGE_FETCHER_REDIS_URL: address.href } };
};

describe('a worker is not ready, and says why', () => {
  it.each([
    ['every command', '-@all'],
    ['every write', '-@write'],
    ['scripts', '-evalsha'],
    ['one command', '-xadd'],
    ['its keys', 'resetkeys'],
    ['the keys of other programs than the seed names', 'resetkeys ~queue-* ~dead-* ~log-* ~webpage:*'],
  ])('when its user may not use %s', async (_what, rule) => {
    const redisCommand = await commands();
    const full = ['reset', 'on', '>secret', '~*', '+@all'];
    await redisCommand('ACL', 'SETUSER', 'curlew', ...full);
    onTestFinished(async () => void (await redisCommand('ACL', 'SETUSER', 'curlew', 'reset')));
    await expectRefusal(
      await fleetAs('curlew'),
      'refuses: ',
      () => redisCommand('ACL', 'SETUSER', 'curlew', ...rule.split(' ')),
      () => redisCommand('ACL', 'SETUSER', 'curlew', ...full),
    );
  });

  it('when Redis became a replica', async () => {
    const redisCommand = await commands();
    // Of nobody, so that it keeps what it has.
    await expectRefusal(
      await fleetAs(),
      'READONLY',
      () => redisCommand('REPLICAOF', '127.0.0.1', '1'),
      () => redisCommand('REPLICAOF', 'NO', 'ONE'),
    );
  });

  it('when another program has written one of its keys', async () => {
    const fleet = await fleetAs();
    const redisCommand = await commands();
    const letters = fleet.env.PAGE_FETCHER_DLQ_QUEUE ?? '';
    await expectRefusal(
      fleet,
      `${letters} is a string, not a list`,
      () => redisCommand('SET', letters, 'text'),
      () => redisCommand('DEL', letters),
    );
  });

  it('when Redis is full of what is not its own', async () => {
    const redisCommand = await commands();
    await redisCommand('SET', 'foreign', 'x'.repeat(20_000_000));
    onTestFinished(async () => void (await redisCommand('DEL', 'foreign')));
    await expectRefusal(
      await fleetAs(),
      'OOM',
      () => redisCommand('CONFIG', 'SET', 'maxmemory', '10mb', 'maxmemory-policy', 'volatile-ttl'),
      () => redisCommand('CONFIG', 'SET', 'maxmemory', '0'),
    );
  });

  it('when a password is wanted and none is named', async () => {
    const redisCommand = await commands();
    await expectRefusal(
      await fleetAs(),
      'NOAUTH',
      async () => {
        await redisCommand('CONFIG', 'SET', 'requirepass', 'secret');
        // A connection that was there before stays as it is.
        await redisCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      },
      () => redisCommand('CONFIG', 'SET', 'requirepass', ''),
    );
  });

  it('when Redis is a cluster', async () => {
    const cluster = closing(await redisService.start({ 'cluster-enabled': 'yes' }));
    const redisCommand = await commands(cluster.address);
    await redisCommand('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => redisCommand('CLUSTER', 'INFO'), often).toContain('cluster_state:ok');
    const { env } = await fleetAs();
    const worker = startWorker({ ...env, PAGE_FETCHER_REDIS_URL: cluster.address });
    const [away] = await Promise.all([worker.says('redis_away'), worker.says('listening')]);
    expect(away).toMatchObject({ reason: expect.stringContaining('CROSSSLOT') });
    await expect.poll(() => readiness(worker), often).toEqual(notReady('CROSSSLOT'));
    expect(said(worker, 'kafka_away')).toBe(0);
  });

  it('while Redis reads its data after a start', async () => {
    const loading = closing(await redisService.start({ 'key-load-delay': 1_000 }));
    const redisCommand = await commands(loading.address);
    await redisCommand('EVAL', 'for n = 1, 60000 do redis.call("SET", "key" .. n, n) end', '0');
    const { env } = await fleetAs();
    const worker = startWorker({ ...env, PAGE_FETCHER_REDIS_URL: loading.address });
    await worker.says('started');
    await loading.kill();
    const loaded = loading.start();
    await expect.poll(() => readiness(worker), often).toEqual(notReady('LOADING'));
    const socket = connect(loading.port, '127.0.0.1').on('error', () => {});
    socket.end('CONFIG SET key-load-delay 0\r\n');
    await loaded;
    await expect.poll(() => readiness(worker), often).toEqual(READY);
    expect(said(worker, 'kafka_away')).toBe(0);
  });

  it('when the password is wrong, and takes the right one when it is set', async () => {
    const redisCommand = await commands();
    await redisCommand('ACL', 'SETUSER', 'curlew', 'reset', 'on', '>other', '~*', '+@all');
    onTestFinished(async () => void (await redisCommand('ACL', 'SETUSER', 'curlew', 'reset')));
    const fleet = await fleetAs('curlew');
    const worker = startWorker(fleet.env);
    expect(await worker.says('redis_away')).toMatchObject({ reason: expect.stringContaining('WRONGPASS') });
    expect(await readiness(worker)).toMatchObject({
      status: 503,
      redis: false,
      reasons: { redis: expect.stringContaining('WRONGPASS') },
    });
    await redisCommand('ACL', 'SETUSER', 'curlew', '>secret');
    await worker.says('started');
    await expect.poll(() => readiness(worker), often).toEqual(READY);
  });
});

it('a Kafka that comes back while nothing is to be published is noticed', async () => {
  const fleet = await fleetAs();
  await kafka?.kill();
  const worker = startWorker(fleet.env);
  expect(await worker.says('kafka_away')).toMatchObject({ reason: expect.stringContaining('Kafka at') });
  expect(await readiness(worker)).toMatchObject({ status: 503, redis: true, kafka: false });
  await kafka?.start();
  await worker.says('kafka_back');
  await expect.poll(() => readiness(worker), often).toEqual(READY);
  expect(said(worker, 'redis_away')).toBe(0);
});
