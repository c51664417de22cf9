// `curlew fetch` ends, whatever a server does not do, by the limits that are shipped: none is set here. Only time is: it runs
// ten times as fast in the process, so that a few minutes can be waited for.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { UrlOutcome } from '../../src/engine/url-outcome.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { rawServer } from '../fixtures/raw-server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const HASTY_TIME = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
const scratch = scratchDirectory();

it('a server that stops half-way, wherever that is, is given up by the limit for just that, three times', async () => {
  const silent = closing(await rawServer());
  const halfway = closing(await rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')));
  const urls = {
    connection: `https://127.0.0.1:${closing(await rawServer()).port}/`,
    head: `${silent.origin}/`,
    body: `${halfway.origin}/`,
  };
  const options = [
    // Longer than three tries take.
    '--patience',
    '10m',
    '--rate',
    'off',
    '--robots',
    'off',
    '--allow-host',
    '127.0.0.1',
    '--data',
    scratch('data'),
    '--json',
  ];
  const { code, stdout } = await curlew(['fetch', ...Object.values(urls), ...options], { preload: HASTY_TIME });
  const byUrl = new Map<string, UrlOutcome>(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((outcome: UrlOutcome) => [outcome.url, outcome]),
  );
  expect({ code, outcomes: byUrl.size }).toEqual({ code: 1, outcomes: 3 });
  expect(byUrl.get(urls.connection)).toMatchObject({
    kind: 'site_wide',
    reason: 'timed out TLS with 127.0.0.1',
    attempts: 3,
  });
  expect(byUrl.get(urls.head)).toMatchObject({
    kind: 'site_wide',
    reason: 'the server took too long to begin its answer',
    attempts: 3,
  });
  expect(byUrl.get(urls.body)).toMatchObject({
    kind: 'url_specific',
    status: 200,
    reason: expect.stringContaining('silent'),
    attempts: 3,
  });
});
