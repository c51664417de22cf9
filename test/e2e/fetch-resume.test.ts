// A run of `curlew fetch` that was interrupted is resumed as any other, and its hint can be pasted.

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { closing } from '../fixtures/closing.ts';
import { curlew, startCurlew, summaryIn } from '../fixtures/curlew-process.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();

it('a fetch run that was stopped is resumed by the command that it names', async () => {
  let held = true;
  let arrived = () => {};
  const third = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const waiting: (() => void)[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const answer = () => void response.end(`<html>${url}</html>`);
    if (url !== '/3' || !held) return answer();
    waiting.push(answer);
    arrived();
  });
  const { port, close } = await listening(server);
  closing({ close });
  const urls = [1, 2, 3, 4, 5].map((n) => `http://127.0.0.1:${port}/${n}`);
  const where = ['--allow-host', `127.0.0.1:${port}`, '--data', scratch('data')];
  const life = startCurlew(['fetch', ...urls, ...where, '--rate', 'off', '--concurrency', '1']);
  await third;
  const stopping = life.says('stopping after what is on the wire');
  life.kill('SIGINT');
  await stopping;
  held = false;
  for (const answer of waiting) answer();
  const stopped = await life.ended;
  expect(stopped.code).toBe(130);
  const [, hint = ''] = /2 pending: (.*)/.exec(stopped.stderr) ?? [];
  expect(hint).toMatch(/^node \S*bin\/curlew\.js resume 1 --data /);
  const resumed = await curlew([...hint.split(' ').slice(2), '--json']);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('unexpected') });
  expect(summaryIn(resumed)).toMatchObject({ status: 'completed', health: 'ok', requests: { done: 5, pending: 0 } });
});
