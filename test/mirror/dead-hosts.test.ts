// A court, or its file server, that is never reached: the run says what it waits for, ends, is not ok, and fetches the rest when
// it is resumed. Through the command line, in a process whose time runs ten times as fast.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { curlew } from '../fixtures/curlew-process.ts';
import { DEAD_HOSTS } from '../fixtures/dead-hosts.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { jsonIn, mirror } from './mirror-process.ts';
import { startStrangeCourt } from './strange-court.ts';

const preload = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
const scratch = scratchDirectory();
const data = () => scratch('data');
const TOKENS = Array.from({ length: 12 }, (_, n) => `FSD${String(n).padStart(4, '0')}`);
const page = (nonce: string) => `<script>var bfile = {"security":"${nonce}"};</script>`;

const run = (env: Readonly<Record<string, string>>, ...more: string[]) =>
  curlew(
    [
      'mirror',
      'run',
      '--rate',
      'off',
      '--delay',
      '0',
      '--allow-host',
      '127.0.0.1',
      '--json',
      '--data',
      data(),
      ...more,
    ],
    { preload, env: { BAILIIKC_MIN_FREE_MB: '1', PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS: '0', ...env } },
  );

const KINDS = [
  'a dead port',
  'a name that does not exist',
  'an address that takes no connection',
  'a server that accepts and never answers',
];

describe('mirror run', () => {
  it.each(KINDS)('of a court that is %s ends, and is failed with the reason', async (name) => {
    const origin = (await DEAD_HOSTS[name]?.()) ?? expect.fail();
    const ended = await run({ BAILIIKC_UJ_BASE_URL: origin }, '--patience', '60s');
    const { host } = new URL(origin);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining(`waiting for ${host}`)]);
    expect(jsonIn(ended)).toMatchObject({
      error: { code: 'no_index', message: expect.stringContaining('it could not be fetched: ') },
    });
    const [line] = (await mirror(data(), ['runs', '--json'])).stdout.trim().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ status: 'failed', run_health: 'failed', waits: [] });
  });

  it.each(KINDS)('with a file server that is %s ends, and resume asks again', async (name) => {
    const origin = (await DEAD_HOSTS[name]?.()) ?? expect.fail();
    let files = origin;
    const court = await startStrangeCourt({
      tokens: TOKENS,
      page,
      answer: (address) => JSON.stringify({ success: true, data: { fid: address.replace(court.boxUrl, files) } }),
    });
    const env = { ...court.env, BAILIIKC_UJ_FILE_HOSTS: `${court.boxUrl},${origin}` };
    const ended = await run(env, '--patience', '60s', '--concurrency', '4');
    expect(ended.code).toBe(1);
    expect(jsonIn(ended)).toMatchObject({ status: 'completed', downloadsCompleted: 0, casesTargeted: 12 });
    const { host } = new URL(origin);
    expect(ended.stderr).toContain(`waiting for ${host}`);
    const report = await mirror(data(), ['report']);
    expect(report.stdout.split(`the file server: ${host} was not reached within 1 minute: `)).toHaveLength(12 + 1);
    files = court.boxUrl;
    expect(jsonIn(await run(env, '--mode', 'resume'))).toMatchObject({ downloadsCompleted: 12 });
  });
});
