// What a Redis client costs for what the fetcher does: ioredis against node-redis on the same private server, in turns within
// one run so that a noisy machine hits both. Usage: npm ci --prefix bench && node bench/clients/redis.ts

import { randomBytes } from 'node:crypto';
import { createClient, RESP_TYPES } from '@redis/client';
import { redis } from '../../scripts/services/redis.ts';

const OPERATIONS = Number(process.env.OPERATIONS ?? 20_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const CONCURRENCY = Number(process.env.CONCURRENCY ?? 32);
const PAGE = randomBytes(50_000);
const URL_ITEM = `https://court.example/case/${'1'.repeat(40)}`;
const SCRIPT = `local item = redis.call('LPOP', KEYS[1])
redis.call('RPUSH', KEYS[1], item or ARGV[1])
return { item, redis.call('TIME')[1] }`;

interface Contender {
  readonly name: string;
  push(): Promise<unknown>;
  script(): Promise<unknown>;
  setPage(): Promise<unknown>;
  getPage(): Promise<Uint8Array | null>;
  ping(): Promise<unknown>;
  close(): Promise<unknown>;
}

async function ioredis(url: string): Promise<Contender> {
  // Only bench/ has it: by a name that the compiler does not follow.
  const { Redis } = await import(String('ioredis'));
  const client = new Redis(url);
  client.on('error', () => {});
  client.defineCommand('turn', { numberOfKeys: 1, lua: SCRIPT });
  const turn: unknown = Reflect.get(client, 'turn');
  if (typeof turn !== 'function') throw new Error('ioredis did not define the script');
  return {
    name: 'ioredis',
    push: () => client.rpush('io:queue', URL_ITEM),
    script: () => turn.call(client, 'io:turn', URL_ITEM),
    setPage: () => client.set('io:page', PAGE, 'PX', 60_000),
    getPage: () => client.getBuffer('io:page'),
    ping: () => client.ping(),
    close: () => client.quit(),
  };
}

async function nodeRedis(url: string): Promise<Contender> {
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const sha = await client.scriptLoad(SCRIPT);
  return {
    name: 'node-redis',
    push: () => client.rPush('nr:queue', URL_ITEM),
    script: () => client.evalSha(sha, { keys: ['nr:turn'], arguments: [URL_ITEM] }),
    setPage: () => client.set('nr:page', PAGE, { expiration: { type: 'PX', value: 60_000 } }),
    getPage: () => binary.get('nr:page'),
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

/** Operations in a second, and microseconds of this process' CPU for each. */
async function measure(count: number, operation: () => Promise<unknown>): Promise<{ rate: number; cpu: number }> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await operation();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const seconds = (performance.now() - began) / 1_000;
  const used = process.cpuUsage(cpu);
  return { rate: count / seconds, cpu: (used.user + used.system) / count };
}

const server = await redis.start();
const contenders = [await ioredis(server.address), await nodeRedis(server.address)];
const tasks = ['push', 'script', 'setPage', 'getPage'] as const;
const best = new Map<string, { rate: number; cpu: number }>();
for (let round = 0; round < ROUNDS; round++) {
  for (const task of tasks) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const key = `${task} ${contender.name}`;
      const count = task === 'setPage' || task === 'getPage' ? OPERATIONS / 10 : OPERATIONS;
      const figures = await measure(count, () => contender[task]());
      if (figures.rate > (best.get(key)?.rate ?? 0)) best.set(key, figures);
    }
  }
}
for (const [key, { rate, cpu }] of [...best].sort()) {
  console.log(`${key.padEnd(20)} ${Math.round(rate).toString().padStart(8)}/s ${cpu.toFixed(1).padStart(8)} µs CPU`);
}

for (const contender of contenders) {
  const page = await contender.getPage();
  console.log(`${contender.name}: bytes survive: ${page !== null && Buffer.compare(page, PAGE) === 0}`);
}

// A restart in the middle: what becomes of commands that were given while the server was away, and how soon it goes on.
await server.kill();
const waiting = contenders.map(async ({ name, push }) => {
  try {
    await push();
    return `${name}: a command given while the server is away is answered once it is back`;
  } catch (error) {
    return `${name}: a command given while the server is away fails: ${error}`;
  }
});
await server.start();
const back = performance.now();
for (const line of waiting) console.log(await line, `(${Math.round(performance.now() - back)} ms after it)`);
for (const contender of contenders) await contender.close();
await server.close();
