// The five minutes of docs/fleet.md, on a real Redis and a real Kafka: the demo, then a worker, a queue and a consumer by hand.

import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { kafkaOrSkip, redisOrSkip } from '../fixtures/services.ts';
import { codeBlocksOf, HOME, isRun } from './code-blocks.ts';
import { runShell, startShell } from './follow-page.ts';

const scratch = scratchDirectory();
const ADDRESSES = {
  PAGE_FETCHER_REDIS_URL: await redisOrSkip(),
  PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: await kafkaOrSkip(),
};
const lines = codeBlocksOf('docs/fleet.md')
  .filter((block) => block.language === 'sh' && !isRun(block))
  .flatMap(({ code }) => code.trim().split('\n'));

/** Lines are taken off as they are followed; in the end none is left. */
function take(line: string): string {
  const at = lines.indexOf(line);
  if (at === -1) return expect.fail(`docs/fleet.md does not say: ${line}`);
  return lines.splice(at, 1)[0] ?? '';
}

it('npm run demo:fleet', async () => {
  const { code, stdout } = await runShell(take('npm run demo:fleet'), { directory: HOME, env: ADDRESSES });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('0 dead letters') });
});

it('a worker, a queue and a consumer', async () => {
  const court = closing(await startCourt({ highest: 3 }));
  // Redis and Kafka may be shared with other tests.
  const mine = randomUUID();
  const env: Record<string, string> = {
    PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1',
    PAGE_FETCHER_RATE_LIMIT_PER_SECOND: 'off',
    PAGE_FETCHER_INPUT_QUEUE: `queue-${mine}`,
    PAGE_FETCHER_DLQ_QUEUE: `dlq-${mine}`,
    PAGE_FETCHER_WEBPAGE_LOG_TOPIC: `topic-${mine}`,
  };
  for (const line of lines.filter((line) => line.startsWith('export '))) {
    const [, name = '', value = ''] = /^export (\w+)=(.*)$/.exec(take(line)) ?? [];
    env[name] = ADDRESSES[name as keyof typeof ADDRESSES] ?? value;
  }
  await writeFile(scratch('urls.txt'), [1, 2, 3].map((id) => `${court.url}/case/${id}\n`).join(''));
  const here = { directory: scratch(), env };
  const worker = startShell(take('curlew fetcher'), here);
  await worker.says(/"started"/);
  const enqueue = take('curlew enqueue https://court.example/ urls.txt').replace('https://court.example', court.url);
  expect(await runShell(enqueue, here)).toMatchObject({ code: 0 });
  const consumer = startShell(take('curlew tail --follow'), here);
  for (const id of [1, 2, 3]) await consumer.says(new RegExp(`/case/${id}\\b`));
  expect(await consumer.stop()).toBe(0);
  expect(await worker.stop()).toBe(0);
  // What starts Redis and Kafka is what this test got its own from.
  expect(lines).toEqual(['npx node scripts/services.ts start redis kafka']);
});
