// The page fetcher on the command line, in a fleet and alone: the same commands and the same counts.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { kafkaOrSkip, redisOrSkip } from '../fixtures/services.ts';
import { type Env, FAST, ownEnvironment, ownFleet, startWorker } from './fleet.ts';
import { parsePrometheusText, total } from './prometheus-text.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const scratch = scratchDirectory();

async function curlew(env: Env, ...args: string[]): Promise<string> {
  const options = { env: { ...ownEnvironment(), ...env }, maxBuffer: 1 << 24 };
  return (await promisify(execFile)(process.execPath, [BIN, ...args], options)).stdout;
}

const readLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** As the seed has them. */
const SEED_METRICS = {
  page_fetcher_pages_fetched_total: 'counter',
  page_fetcher_pages_failed_total: 'counter',
  page_fetcher_pages_skipped_robots_total: 'counter',
  page_fetcher_pages_requeued_total: 'counter',
  page_fetcher_retries_total: 'counter',
  page_fetcher_dlq_enqueued_total: 'counter',
  page_fetcher_circuit_breaker_opened_total: 'counter',
  page_fetcher_circuit_breaker_closed_total: 'counter',
  page_fetcher_circuit_breaker_probes_total: 'counter',
  page_fetcher_input_queue_size: 'gauge',
  page_fetcher_dlq_size: 'gauge',
  page_fetcher_circuit_breaker_state: 'gauge',
  page_fetcher_circuit_breaker_consecutive_failures: 'gauge',
  page_fetcher_circuit_breaker_current_backoff_seconds: 'gauge',
  page_fetcher_fetch_duration_seconds: 'histogram',
  page_fetcher_content_size_bytes: 'histogram',
};

function suite(place: () => Env): void {
  it('every item has its outcome, in the events, the dead letters and the metrics', async () => {
    const court = closing(await startCourt({ highest: 31 }));
    const env = { ...FAST, PAGE_FETCHER_RETRY_BACKOFF_BASE_SECONDS: '0.05', ...place() };
    const fine = Array.from({ length: 30 }, (_, n) => `${court.url}/case/${n + 1}`);
    const [broken, gone, alsoGone] = [31, 998, 999].map((id) => `${court.url}/case/${id}`);
    court.faults.set({ kind: 'status', status: 500, path: '/case/5', count: 1 });
    court.faults.set({ kind: 'status', status: 500, path: '/case/31' });
    const enormous = `${court.url}/${'x'.repeat(9_000)}`;
    const file = scratch('urls.txt');
    await writeFile(
      file,
      `# to be fetched\n${[...fine, enormous, 'ftp://court.example/x'].join('\r\n')}\n\nno address\n`,
    );
    const queued = await curlew(env, 'enqueue', file, `${court.url}/private/1`, broken ?? '', '--json');
    expect(JSON.parse(queued)).toMatchObject({ queued: 35, malformed: 3, waiting: 35, leased: 0 });
    expect(await curlew(env, 'enqueue', gone ?? '', alsoGone ?? '')).toMatch(/^Queued 2 in .*; 37 wait there now\.\n$/);

    const worker = startWorker(env);
    const scrape = async () => parsePrometheusText((await worker.ask('/metrics')).text);
    await expect
      .poll(async () => {
        const families = await scrape();
        const left = ['input_queue_size', 'leased', 'outbox_size'].map((name) =>
          total(families, `page_fetcher_${name}`),
        );
        return [...left, total(families, 'page_fetcher_events_published_total')];
      })
      .toEqual([0, 0, 0, 30]);
    const families = await scrape();
    const types = Object.keys(SEED_METRICS).map((name) => [name, families.get(name)?.type]);
    expect(Object.fromEntries(types)).toEqual(SEED_METRICS);
    const counts = {
      pages_fetched_total: 30,
      pages_failed_total: 3,
      pages_skipped_robots_total: 1,
      pages_requeued_total: 0,
      retries_total: 3,
      dlq_enqueued_total: 6,
      dlq_size: 6,
      circuit_breaker_opened_total: 0,
      circuit_breaker_state: 0,
      fetch_duration_seconds_count: 36,
      content_size_bytes_count: 30,
      late_results_total: 0,
    };
    const shown = Object.keys(counts).map((name) => [name, total(families, `page_fetcher_${name}`)]);
    expect(Object.fromEntries(shown)).toEqual(counts);
    expect((await worker.ask('/readyz')).status).toBe(200);
    expect((await worker.ask('/nowhere')).status).toBe(404);

    const letters = readLines(await curlew(env, 'dead-letters', 'list', '--json'));
    const reasons = letters.map(({ reason, attempts }) => `${reason} ${attempts}`).toSorted();
    expect(reasons).toEqual(['http_404 1', 'http_404 1', 'http_500 3', 'not_a_url 0', 'not_http 0', 'too_long 0']);
    const events = readLines(await curlew(env, 'tail', '--from-beginning', '--json'));
    expect(events.map(({ url, content }) => `${content} ${url}`).toSorted()).toEqual(
      fine.map((url) => `cached ${url}`).toSorted(),
    );
    const latest = (await curlew(env, 'tail', '-n', '3')).trimEnd().split('\n');
    expect(latest).toHaveLength(3);
    expect(latest[2]).toMatch(/^\S+Z {2}200 .* [0-9a-f]{12} {2}cached {4}http:\S+\/case\/\d+$/);

    await court.faults.clear();
    await expect(curlew(env, 'dead-letters', 'drop')).rejects.toMatchObject({ code: 2 });
    expect(await curlew(env, 'dead-letters', 'drop', '--reason', 'too_long')).toBe('Dropped 1; 5 left.\n');
    const host = ['--host', new URL(court.url).host];
    expect(await curlew(env, 'dead-letters', 'requeue', '--reason', 'http_500', ...host)).toBe('Requeued 1; 4 left.\n');
    await expect.poll(async () => total(await scrape(), 'page_fetcher_events_published_total')).toBe(31);
    expect(readLines(await curlew(env, 'tail', '-n', '1', '--json'))).toMatchObject([{ url: broken }]);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
  });
}

describe('in a fleet', async () => {
  const [redis, kafka] = [await redisOrSkip(), await kafkaOrSkip()];
  suite(() => {
    const own = randomUUID();
    return {
      PAGE_FETCHER_REDIS_URL: redis,
      PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: kafka,
      PAGE_FETCHER_INPUT_QUEUE: `queue-${own}`,
      PAGE_FETCHER_DLQ_QUEUE: `dead-${own}`,
      PAGE_FETCHER_WEBPAGE_LOG_TOPIC: `log-${own}`,
    };
  });

  it('dead letters that a person moved to the queue with LMOVE are fetched', async () => {
    const court = closing(await startCourt({ highest: 3 }));
    const fleet = await ownFleet(redis, kafka);
    court.faults.set({ kind: 'status', status: 404, path: '/case/' });
    await fleet.queue.enqueue([`${court.url}/case/1`, `${court.url}/case/2`]);
    const worker = startWorker(fleet.env);
    await expect.poll(() => fleet.deadLetters.size()).toBe(2);
    await court.faults.clear();
    const connection = await RedisConnection.open(redis, { clock: systemClock });
    onTestFinished(() => connection.close());
    const dead = fleet.env.PAGE_FETCHER_DLQ_QUEUE ?? '';
    for (let moved = 0; moved < 2; moved++) {
      await connection.run((client) => client.lMove(dead, fleet.queueName, 'LEFT', 'RIGHT'));
    }
    await expect.poll(async () => (await fleet.events()).length).toBe(2);
    expect((await fleet.events()).map(({ url }) => url).toSorted()).toEqual([
      `${court.url}/case/1`,
      `${court.url}/case/2`,
    ]);
    expect(await fleet.deadLetters.size()).toBe(0);
    expect(worker.lines.filter(({ event }) => event === 'malformed')).toEqual([]);
  });
});

describe('alone', () => suite(() => ({ CURLEW_DATA: scratch('data') })));

it.each([
  ['a word', 'nonsense', 'is neither an http or https address nor a file'],
  ['a file that is not there', 'no-such-urls.txt', 'is neither an http or https address nor a file'],
  ['a directory', tmpdir(), 'is neither an http or https address nor a file'],
  ['an address of another kind', 'ftp://court.example/1', 'is neither an http or https address nor a file'],
  ['a host without its scheme', 'court.example/1', 'is neither an http or https address nor a file'],
  ['an address that is too long', `https://court.example/${'x'.repeat(9_000)}`, 'at most 8 KiB'],
])('enqueue refuses %s, and queues nothing of what stands beside it', async (_, argument, words) => {
  const env = { CURLEW_DATA: scratch('refused') };
  for (const args of [[argument], ['https://court.example/1', argument], [argument, 'https://court.example/1']]) {
    await expect(curlew(env, 'enqueue', ...args)).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  }
  await curlew(env, 'enqueue', 'https://court.example/2');
  const counted = await curlew(env, 'enqueue', 'https://court.example/3', '--json');
  expect(JSON.parse(counted)).toMatchObject({ queued: 1, waiting: 2 });
});

it('enqueue refuses a file without a single address, and tells of lines that are none', async () => {
  const env = { CURLEW_DATA: scratch('lines') };
  await writeFile(scratch('table.csv'), 'number,title\n1,A v B\n');
  await expect(curlew(env, 'enqueue', scratch('table.csv'))).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing was queued'),
  });
  await writeFile(scratch('mixed.txt'), 'https://court.example/1\nno address\n');
  expect(await curlew(env, 'enqueue', scratch('mixed.txt'))).toMatch(
    /^Queued 2 in .*; 2 wait there now\. 1 cannot be fetched and will be dead letters\.\n$/,
  );
});

it('enqueue takes dead letters as dead-letters list --json prints them, and queues their URLs', async () => {
  const court = closing(await startCourt({ highest: 3 }));
  const env = { ...FAST, CURLEW_DATA: scratch('letters') };
  court.faults.set({ kind: 'status', status: 404, path: '/case/' });
  await curlew(env, 'enqueue', `${court.url}/case/1`, `${court.url}/case/2`);
  const failing = startWorker(env);
  const letters = () => curlew(env, 'dead-letters', 'list', '--json');
  await expect.poll(async () => readLines(await letters())).toHaveLength(2);
  failing.signal('SIGTERM');
  await failing.ended;
  await court.faults.clear();
  await writeFile(scratch('letters.jsonl'), await letters());
  await curlew(env, 'dead-letters', 'drop', '--all');
  expect(JSON.parse(await curlew(env, 'enqueue', scratch('letters.jsonl'), '--json'))).toMatchObject({
    queued: 2,
    malformed: 0,
  });
  startWorker(env);
  const published = async () =>
    readLines(await curlew(env, 'tail', '--from-beginning', '--json')).map(({ url }) => url);
  await expect.poll(async () => (await published()).toSorted()).toEqual([`${court.url}/case/1`, `${court.url}/case/2`]);
});

it('--create-topics is refused where there is no Kafka', async () => {
  const failing = curlew({ CURLEW_DATA: scratch('data') }, 'fetcher', '--create-topics');
  await expect(failing).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('There is no Kafka here') });
});

it('a variable that cannot be used is named, and nothing is begun', async () => {
  const failing = curlew({ PAGE_FETCHER_MAX_RETRIES: 'many' }, 'fetcher');
  await expect(failing).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('PAGE_FETCHER_MAX_RETRIES="many"'),
  });
});

it("a second worker in the same directory is refused, since two would not know of each other's pace", async () => {
  const env = { ...FAST, CURLEW_DATA: scratch('data') };
  const worker = startWorker(env);
  await worker.says('started');
  const second = { code: 1, stderr: expect.stringContaining('Another fetcher works in') };
  await expect(curlew(env, 'fetcher')).rejects.toMatchObject(second);
});

it('a worker that was killed alone goes on where it was', async () => {
  const court = closing(await startCourt({ highest: 200, latencyMs: 20 }));
  const env = { ...FAST, CURLEW_DATA: scratch('data'), PAGE_FETCHER_LEASE_SECONDS: '1', PAGE_FETCHER_CONCURRENCY: '4' };
  const urls = Array.from({ length: 200 }, (_, n) => `${court.url}/case/${n + 1}`);
  await writeFile(scratch('urls.txt'), urls.join('\n'));
  await curlew(env, 'enqueue', scratch('urls.txt'));
  for (const asked of [50, 100]) {
    const worker = startWorker(env);
    await expect.poll(() => court.log.entries.length).toBeGreaterThan(asked);
    worker.signal('SIGKILL');
    await worker.ended;
  }
  const worker = startWorker(env);
  const published = async () =>
    readLines(await curlew(env, 'tail', '--from-beginning', '--json')).map(({ url }) => url);
  await expect.poll(published, { interval: 500 }).toHaveLength(200);
  expect((await published()).toSorted()).toEqual(urls.toSorted());
  expect(court.log.entries.filter(({ path }) => path !== '/robots.txt').length).toBeLessThanOrEqual(200 + 2 * 4);
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
});
