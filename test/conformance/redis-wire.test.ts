// What other programs see in Redis: the lists, keys and lines of the seed, and nothing left behind.

import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { redisBackend } from '../../src/fetcher/redis/redis-backend.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { redisNames } from '../../src/fetcher/redis/redis-names.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { redisOrSkip } from '../fixtures/services.ts';
import { all, leaseAll, leaseOne, somePage, WORKER } from './backends.ts';

const url = await redisOrSkip();

async function setting() {
  const connection = await RedisConnection.open(url, { clock });
  onTestFinished(() => connection.close());
  const own = randomUUID();
  const names = redisNames({ queue: `${own}:queue`, deadLetters: `${own}:dead`, topic: `${own}:log` });
  const settings = { queue: names.queue, deadLetters: names.deadLetters, topic: `${own}:log` };
  return {
    ...redisBackend(connection, { ...settings, clock }),
    names,
    run: connection.run.bind(connection),
    keys: () => connection.run((client) => client.keys(`${own}*`)),
  };
}

it('the names are those of the seed unless others are given', () => {
  expect(redisNames()).toMatchObject({
    queue: 'crawler_queue',
    deadLetters: 'page_fetcher_dlq',
    outbox: 'webpage_log:outbox',
  });
});

it('anything may push a URL to the plain list', async () => {
  const backend = await setting();
  await backend.run((client) => client.rPush(backend.names.queue, 'https://a.example/pushed'));
  expect((await leaseOne(backend)).url).toBe('https://a.example/pushed');
});

it('what is queued by us is a plain list of URLs for others', async () => {
  const { queue, run, names } = await setting();
  await queue.enqueue(['https://a.example/1', 'https://a.example/2']);
  expect(await run((client) => client.lRange(names.queue, 0, -1))).toEqual([
    'https://a.example/1',
    'https://a.example/2',
  ]);
});

it('what a worker holds is to be seen under its name', async () => {
  const backend = await setting();
  await backend.queue.enqueue(['https://a.example/1']);
  const { token } = await leaseOne(backend);
  const held = await backend.run((client) => client.hGetAll(`${backend.names.queue}:processing:${WORKER.worker}`));
  expect({ ...held }).toEqual({ [token]: 'https://a.example/1' });
});

it('bytes that are no text are not changed on their way back to the queue', async () => {
  const backend = await setting();
  const item = Buffer.concat([Buffer.from('https://a.example/'), Buffer.from([0xff, 0xfe, 0x00])]);
  await backend.run((client) => client.rPush(backend.names.queue, item));
  await backend.queue.giveBack(await leaseOne(backend));
  const length = await backend.run((client) =>
    client.eval("return #redis.call('LINDEX', KEYS[1], 0)", { keys: [backend.names.queue] }),
  );
  expect(length).toBe(item.length);
});

it('a dead letter is one line, and a plain URL that others push is one too', async () => {
  const backend = await setting();
  const { run, names, deadLetters } = backend;
  await run((client) => client.rPush(names.deadLetters, ['https://plain.example/', '{not ours}', '{"url":7}']));
  await backend.queue.enqueue(['two\nlines']);
  await leaseAll(backend);
  const lines = await run((client) => client.lRange(names.deadLetters, 0, -1));
  expect(lines.every((line) => !line.includes('\n'))).toBe(true);
  expect(JSON.parse(lines[3] ?? '')).toMatchObject({ url: 'two\nlines', reason: 'not_a_url' });
  const plain = { reason: 'unknown', status: null, attempts: 0, first: null, last: null };
  expect((await all(deadLetters.list())).slice(0, 3)).toEqual([
    { url: 'https://plain.example/', ...plain },
    { url: '{not ours}', ...plain },
    { url: '{"url":7}', ...plain },
  ]);
  expect(await deadLetters.requeue({ host: 'plain.example' })).toBe(1);
  expect((await leaseOne(backend)).url).toBe('https://plain.example/');
});

it('dead letters moved to the queue by hand are fetched again, and what an older version made of them too', async () => {
  const backend = await setting();
  const { run, names, queue, deadLetters } = backend;
  const move = () => run((client) => client.lMove(names.deadLetters, names.queue, 'LEFT', 'RIGHT'));
  await queue.enqueue(['https://a.example/1', 'https://a.example/2']);
  for (const lease of await leaseAll(backend))
    await queue.bury(lease, { reason: 'http_500', status: 500, attempts: 3 });
  await run((client) => client.rPush(names.deadLetters, 'https://plain.example/'));
  // A dead letter that was taken for a URL: the line is in the place of the URL.
  const [line = ''] = await run((client) => client.lRange(names.deadLetters, 0, 0));
  const nested = { url: line, reason: 'not_a_url', status: null, attempts: 0, first: null, last: null };
  await run((client) => client.rPush(names.deadLetters, [JSON.stringify(nested), JSON.stringify(nested)]));
  for (let moved = 0; moved < 4; moved++) await move();
  expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([
    'https://a.example/1',
    'https://a.example/2',
    'https://plain.example/',
    'https://a.example/1',
  ]);
  expect(await deadLetters.requeue({ host: 'a.example' })).toBe(1);
  expect(await run((client) => client.lRange(names.queue, 0, -1))).toEqual(['https://a.example/1']);
});

it('content has no end before its event is published, and the time to live from then on', async () => {
  const backend = await setting();
  const { event, body } = somePage();
  await backend.queue.enqueue([event.url]);
  await backend.queue.store(await leaseOne(backend), { event, body });
  expect(event.cache_key).toMatch(/^webpage:[0-9a-f]{64}$/);
  expect(await backend.run((client) => client.pTTL(event.cache_key))).toBe(-1);
  const taken = await backend.outbox.take({ pump: 'p', leaseMs: 60_000, limit: 1 });
  if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
  await backend.outbox.settle({ pump: 'p', published: taken.entries, refused: [], cacheTtlMs: 3_600_000 });
  const ttl = await backend.run((client) => client.pTTL(event.cache_key));
  expect(ttl).toBeGreaterThan(3_590_000);
  expect(ttl).toBeLessThanOrEqual(3_600_000);
});

it('nothing is left of work that is done but the counter of tokens', async () => {
  const backend = await setting();
  const { queue, outbox, names } = backend;
  const page = somePage('https://a.example/');
  await queue.enqueue([
    'https://a.example/',
    'https://b.example/',
    'https://c.example/',
    'https://d.example/',
    'https://d.example/',
  ]);
  const first = await queue.lease({ ...WORKER, except: ['a.example', 'b.example'] });
  if (first === undefined) return expect.fail('nothing to lease');
  await queue.giveBack(first);
  for (const lease of await leaseAll(backend)) {
    if (lease.host === 'a.example') await queue.store(lease, page);
    else await queue.acknowledge(lease);
  }
  const taken = await outbox.take({ pump: 'p', leaseMs: 60_000, limit: 10 });
  if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
  await outbox.beginPublishing({ pump: 'p', leaseMs: 60_000, position: '[]' });
  await outbox.settle({ pump: 'p', published: taken.entries, refused: [], cacheTtlMs: 60_000 });
  await outbox.release('p');
  // An empty stream stays a key.
  expect((await backend.keys()).toSorted()).toEqual([names.outbox, names.tokens].toSorted());
});

it('the length of the list is the number of URLs that wait, whatever their hosts are wanted for', async () => {
  const backend = await setting();
  const { queue, run, names } = backend;
  const length = () => run((client) => client.lLen(names.queue));
  const down = Array.from({ length: 2_500 }, (_, n) => `https://down.example/${n}`);
  const up = Array.from({ length: 5 }, (_, n) => `https://up.example/${n}`);
  await queue.enqueue([...down, ...up]);
  const except = ['down.example'];
  const leases = [];
  for (let n = 0; n < 5; n++) {
    const lease = await queue.lease({ ...WORKER, except });
    leases.push(lease ?? expect.fail('nothing to lease'));
    expect(await length()).toBe(2_504 - n);
  }
  expect(leases.map(({ url }) => url)).toEqual(up);
  expect(await queue.lease({ ...WORKER, except })).toBeUndefined();
  expect(await length()).toBe(2_500);
  // Pushed by others meanwhile, at either end.
  await run((client) => client.rPush(names.queue, 'https://up.example/late'));
  await run((client) => client.lPush(names.queue, ['https://up.example/second', 'https://up.example/first']));
  expect(await length()).toBe(2_503);
  const next = [];
  for (let n = 0; n < 3; n++) next.push((await queue.lease({ ...WORKER, except }))?.url);
  expect(next).toEqual(['https://up.example/first', 'https://up.example/second', 'https://up.example/late']);
  for (const lease of leases) await queue.giveBack(lease);
  expect(await length()).toBe(2_505);
  expect(await queue.size()).toEqual({ waiting: 2_505, leased: 3 });
  const rest = await leaseAll(backend);
  expect(rest.map(({ url }) => url)).toEqual([...down, ...up]);
  expect(await length()).toBe(0);
});

it('entries that others take from the list or put between lose no URL', async () => {
  const backend = await setting();
  const { queue, run, names } = backend;
  const down = Array.from({ length: 10 }, (_, n) => `https://down.example/${n}`);
  await queue.enqueue(down);
  expect(await queue.lease({ ...WORKER, except: ['down.example'] })).toBeUndefined();
  await run((client) => client.lPop(names.queue));
  await run((client) => client.rPop(names.queue));
  expect(await queue.size()).toEqual({ waiting: 10, leased: 0 });
  expect(await run((client) => client.lLen(names.queue))).toBe(10);
  const place = (await run((client) => client.lIndex(names.queue, 3))) ?? '';
  await run((client) => client.lInsert(names.queue, 'AFTER', place, 'https://down.example/between'));
  expect((await queue.size()).waiting).toBe(11);
  const urls = (await leaseAll(backend)).map(({ url }) => url);
  expect(urls.toSorted()).toEqual([...down, 'https://down.example/between'].toSorted());
  expect(await backend.deadLetters.size()).toBe(0);
  expect(await run((client) => client.lLen(names.queue))).toBe(0);
  await queue.enqueue(down);
  await queue.lease({ ...WORKER, except: ['down.example'] });
  await run((client) => client.del(names.queue));
  expect((await leaseAll(backend)).map(({ url }) => url)).toEqual(down);
});

it('entries that others take from the list and put back later keep nobody looking, and count for nothing', async () => {
  const backend = await setting();
  const { queue, run, names } = backend;
  const down = Array.from({ length: 10 }, (_, n) => `https://down.example/${n}`);
  await queue.enqueue(down);
  const downIsUnwanted = () => queue.lease({ ...WORKER, except: ['down.example'] });
  expect(await downIsUnwanted()).toBeUndefined();
  await run((client) => client.lMove(names.queue, `${names.queue}:parked`, 'RIGHT', 'LEFT'));
  expect((await queue.size()).waiting).toBe(10);
  await run((client) => client.lMove(`${names.queue}:parked`, names.queue, 'LEFT', 'RIGHT'));
  expect(await downIsUnwanted()).toBeUndefined();
  expect(await run((client) => client.lLen(names.queue))).toBe(10);
  await run((client) => client.del(names.places));
  expect(await downIsUnwanted()).toBeUndefined();
  expect(await run((client) => client.lLen(names.queue))).toBe(10);
  expect((await leaseAll(backend)).map(({ url }) => url)).toEqual(down);
  expect(await backend.deadLetters.size()).toBe(0);
});

it.each([
  ['RPUSH', 'https://up.example/pushed'],
  ['LPUSH', 'https://up.example/urgent'],
])(
  'a URL that comes by %s just after entries were taken away does not wait for hosts that are down',
  async (how, up) => {
    const { queue, run, names } = await setting();
    await queue.enqueue(Array.from({ length: 10 }, (_, n) => `https://down.example/${n}`));
    const downIsUnwanted = () => queue.lease({ ...WORKER, except: ['down.example'] });
    expect(await downIsUnwanted()).toBeUndefined();
    await run((client) => client.lPopCount(names.queue, 3));
    await run((client) => (how === 'LPUSH' ? client.lPush(names.queue, up) : client.rPush(names.queue, up)));
    expect((await downIsUnwanted())?.url).toBe(up);
    expect(await run((client) => client.lLen(names.queue))).toBe(10);
  },
);

it('what a version before this one left in lanes is there, in order, and counted', async () => {
  const backend = await setting();
  const { queue, run, names } = backend;
  for (const host of ['a.example', 'b.example']) {
    const urls = Array.from({ length: 1_100 }, (_, n) => `https://${host}/${n}`);
    await run((client) => client.rPush(`${names.lanePrefix}${host}`, urls));
    await run((client) => client.zAdd(names.lanes, { score: 0, value: host }));
  }
  await run((client) => client.rPush(names.queue, 'https://c.example/'));
  expect(await queue.size()).toEqual({ waiting: 2_201, leased: 0 });
  const urls = (await leaseAll(backend)).map(({ url }) => url);
  expect(new Set(urls).size).toBe(2_201);
  expect(urls.filter((url) => url.includes('a.example')).map((url) => new URL(url).pathname.slice(1))).toEqual(
    Array.from({ length: 1_100 }, (_, n) => `${n}`),
  );
  expect(await queue.size()).toEqual({ waiting: 0, leased: 2_201 });
});
