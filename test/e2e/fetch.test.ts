// `curlew fetch` and `curlew hosts` as users have them: a process, its lines, its exit code, and what it leaves behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import type { UrlOutcome } from '../../src/engine/url-outcome.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const scratch = scratchDirectory();
let court: RunningCourt;
beforeEach(async () => {
  court = await startCourt({ sealed: [[5, 5]] });
});
afterEach(() => court.close());

const data = () => ['--data', scratch('data')];
const common = () => [...data(), '--json', '--rate', 'off', '--allow-host', new URL(court.url).host];
const fetchUrls = (...args: string[]) => curlew(['fetch', ...args, ...common()]);
const page = (id: number | string) => `${court.url}/case/${id}`;

function outcomes({ stdout }: Ended): UrlOutcome[] {
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
const kinds = (ended: Ended) => Object.fromEntries(outcomes(ended).map(({ url, kind }) => [url, kind]));

describe('curlew fetch', () => {
  it('prints one outcome a line and exits 0 when all is well', async () => {
    const ended = await fetchUrls(page(1), page(2));
    expect(ended.code).toBe(0);
    const [first] = outcomes(ended).sort((a, b) => (a.url < b.url ? -1 : 1));
    expect(first).toEqual({
      url: page(1),
      kind: 'ok',
      status: 200,
      reason: null,
      finalUrl: page(1),
      contentType: 'text/html; charset=utf-8',
      size: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      ms: expect.any(Number),
      attempts: 1,
      proxy: null,
    });
    expect(Object.keys(first ?? {}).slice(0, 4)).toEqual(['url', 'kind', 'status', 'reason']);
  });

  it('exits 1 when anything is neither ok nor unchanged, and says what and why', async () => {
    const ended = await fetchUrls(page(1), page(9999), page(5), `${court.url}/private/x`, 'http://127.0.0.2:9/');
    expect(ended.code).toBe(1);
    expect(
      outcomes(ended)
        .map(({ kind, status, reason }) => `${kind} ${status} ${reason}`)
        .sort(),
    ).toEqual([
      'ok 200 null',
      'skipped null robots.txt: Disallow: /private/ (line 2)',
      expect.stringMatching(/^url_specific 403 403 Forbidden/),
      expect.stringMatching(/^url_specific 404 404 Not Found/),
      expect.stringMatching(/^url_specific null refused to connect: 127\.0\.0\.2 is not a public address/),
    ]);
  });

  it('reports what is no address, and goes on with the others', async () => {
    const ended = await fetchUrls(
      'nonsense',
      'file:///etc/passwd',
      'data:text/html,x',
      `http://x/${'a'.repeat(9_000)}`,
      page(1),
    );
    expect(ended.code).toBe(1);
    expect(outcomes(ended).map(({ kind, attempts }) => `${kind} ${attempts}`)).toEqual([
      ...Array(4).fill('url_specific 0'),
      'ok 1',
    ]);
    expect(outcomes(ended).every(({ kind, reason }) => kind === 'ok' || reason !== null)).toBe(true);
  });

  it('says so when robots.txt cannot be had, and what it went by', async () => {
    court.faults.set({ kind: 'status', status: 503, headers: { 'retry-after': '0' }, path: '/robots.txt' });
    const ended = await fetchUrls(page(1));
    expect(outcomes(ended)).toMatchObject([{ kind: 'ok' }]);
    expect(ended.stderr).toContain(`note: The robots.txt of ${court.url} could not be had (HTTP 503)`);
    expect((await curlew(['show', 'latest', ...data()])).stdout).toContain('everything there was taken to be allowed');
  });

  it('names the host whose robots.txt forbids what a redirect leads to', async () => {
    const other = await startCourt();
    onTestFinished(() => other.close());
    other.setRobots('User-agent: *\nDisallow: /');
    court.faults.set({ kind: 'status', status: 302, headers: { location: `${other.url}/case/1` }, path: '/case/1' });
    const ended = await fetchUrls(page(1), '--allow-host', new URL(other.url).host);
    const reason = `${new URL(other.url).host}: robots.txt: Disallow: / (line 2)`;
    expect(outcomes(ended)).toMatchObject([{ kind: 'skipped', reason }]);
  });

  it('makes no run when there is nothing to ask for', async () => {
    const ended = await fetchUrls('nonsense');
    expect([ended.code, outcomes(ended).length]).toEqual([1, 1]);
    expect((await curlew(['runs', ...data()])).code).toBe(2);
    expect((await curlew(['fetch', ...data()])).code).toBe(2);
  });

  it('reads files and standard input, and answers each line as it was written', async () => {
    await writeFile(scratch('urls.txt'), `# a list\n${page(1)}\r\n\n  ${page(2)}#part\n${page(2)}\n`);
    expect(Object.keys(kinds(await fetchUrls(scratch('urls.txt')))).sort()).toEqual(
      [page(1), page(2), `${page(2)}#part`].sort(),
    );
    expect(court.log.entries.filter(({ path }) => path === '/case/2')).toHaveLength(1);
    const child = spawn(process.execPath, [BIN, 'fetch', '-', ...common()], { stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stdin.end(`${page(3)}\n${page(4)}\n`);
    await once(child, 'close');
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('follows redirects and says where they led', async () => {
    await court.close();
    court = await startCourt({ redirectMissing: [[600, 610]], highest: 500 });
    const [outcome] = outcomes(await fetchUrls(page(601)));
    expect(outcome).toMatchObject({
      url: page(601),
      kind: 'ok',
      finalUrl: expect.stringContaining('/search?notfound=1'),
    });
  });

  it('tries again what may pass, three times in all, and gives up where nobody listens', async () => {
    // One host for each: five failures in a row would open the breaker of a host that has all of them.
    const [broken, gone] = await Promise.all([startCourt(), startCourt()]);
    await gone.close();
    court.faults.set({ kind: 'status', status: 500, path: '/case/1', count: 2 });
    broken.faults.set({ kind: 'status', status: 500, path: '/case/' });
    const urls = { better: page(1), good: page(2), bad: `${broken.url}/case/1`, deaf: `${gone.url}/robots.txt` };
    const allowed = [broken, gone].flatMap(({ url }) => ['--allow-host', new URL(url).host]);
    const ended = await fetchUrls(...Object.values(urls), ...allowed);
    await broken.close();
    const byUrl = Object.fromEntries(outcomes(ended).map((outcome) => [outcome.url, outcome]));
    expect(byUrl[urls.better]).toMatchObject({ kind: 'ok', attempts: 3 });
    expect(byUrl[urls.good]).toMatchObject({ kind: 'ok', attempts: 1 });
    expect(byUrl[urls.bad]).toMatchObject({ kind: 'url_specific', status: 500, attempts: 3 });
    expect(byUrl[urls.deaf]).toMatchObject({ kind: 'site_wide', status: null, attempts: 3 });
    expect(broken.log.entries.filter(({ path }) => path === '/case/1')).toHaveLength(3);
    expect(ended.code).toBe(1);
  });

  it('asks for news only when it is told to', async () => {
    const first = await fetchUrls(page(1));
    expect(court.log.entries.at(-1)?.headers).not.toHaveProperty('if-none-match');
    // A 304 need not repeat what it was asked with.
    court.faults.set({ kind: 'status', status: 304, body: '', path: '/case/1', count: 1 });
    const [again] = outcomes(await fetchUrls(page(1), '--fresh'));
    expect(again).toMatchObject({ kind: 'unchanged', status: 304, size: null });
    // It is archived too, but the page it speaks of is the one before it.
    expect(kinds(await fetchUrls(page(1), page(2), '--fresh'))).toEqual({ [page(1)]: 'unchanged', [page(2)]: 'ok' });
    const conditional = court.log.entries.filter(({ headers }) => headers['if-none-match'] !== undefined);
    expect(conditional.map(({ path, headers }) => `${path} ${headers['if-modified-since'] !== undefined}`)).toEqual(
      Array(2).fill('/case/1 true'),
    );
    const [whole] = outcomes(await fetchUrls(page(1)));
    expect(whole).toMatchObject({ kind: 'ok', sha256: outcomes(first)[0]?.sha256 });
  });

  it('exits 0 when nothing has changed, and 1 when all there is was skipped, not answered, or told to wait', async () => {
    const mute = closing(await startCourt());
    mute.faults.set({ kind: 'reset' });
    court.faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '0' }, path: '/case/3' });
    // A data directory for each: they do not wait for each other.
    const only = async (name: string, ...args: string[]) => {
      const ended = await curlew(['fetch', ...args, ...common(), '--data', scratch(name)]);
      return { kinds: outcomes(ended).map(({ kind }) => kind), code: ended.code };
    };
    const unchanged = async () => {
      expect(await only('same', page(1))).toEqual({ kinds: ['ok'], code: 0 });
      return only('same', page(1), '--fresh');
    };
    expect(
      await Promise.all([
        unchanged(),
        only('skipped', `${court.url}/private/x`),
        only('unanswered', `${mute.url}/case/1`, '--robots', 'off', '--allow-host', new URL(mute.url).host),
        only('waiting', page(3), '--robots', 'off'),
      ]),
    ).toEqual([
      { kinds: ['unchanged'], code: 0 },
      { kinds: ['skipped'], code: 1 },
      { kinds: ['site_wide'], code: 1 },
      { kinds: ['rate_limited'], code: 1 },
    ]);
  });

  it('leaves a run like any other: shown, exported and replayed', async () => {
    await fetchUrls(page(1), page(2));
    const [run] = (await curlew(['runs', ...data(), '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(run).toMatchObject({ kind: 'fetch', name: 'fetch', state: 'completed', health: 'ok', records: 2 });
    const records = (await curlew(['records', 'latest', ...data()])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ kind, data: { url, status } }) => `${kind} ${url} ${status}`).sort()).toEqual([
      `page ${page(1)} 200`,
      `page ${page(2)} 200`,
    ]);
    const asked = court.stats().requests;
    const replayed = await curlew(['replay', 'latest', ...data(), '--diff']);
    expect([replayed.code, court.stats().requests]).toEqual([0, asked]);
  });

  it('stops gently on Ctrl-C, and can be resumed', async () => {
    court.setLatency(300);
    const urls = Array.from({ length: 30 }, (_, index) => page(index + 10));
    const first = startCurlew(['fetch', ...urls, ...common(), '--concurrency', '2']);
    await court.log.arrival(({ path }) => path === '/case/14');
    first.kill('SIGINT');
    const { code } = await first.ended;
    expect(code).toBe(130);
    court.setLatency(0);
    const resumed = await curlew(['resume', 'latest', ...data(), '--json']);
    expect(JSON.parse(resumed.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      requests: { done: 30, pending: 0 },
      records: 30,
    });
  });

  it('shows no control characters of a site on a terminal', async () => {
    court.faults.set({
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: 'x',
      path: '/case/1',
    });
    const { stdout } = await curlew([
      'fetch',
      `${page(1)}?\u202Eevil`,
      'no\u001b[31mthing',
      ...data(),
      '--rate',
      'off',
      '--allow-host',
      new URL(court.url).host,
    ]);
    expect(stdout).not.toMatch(/[\u001b\u202e]/u);
  });
});

describe('curlew hosts', () => {
  it('shows for each host its state, rate, verdict counts and requests', async () => {
    court.faults.set({
      kind: 'status',
      status: 200,
      body: 'User-agent: *\nDisallow: /private/\nCrawl-delay: 0.5\n',
      path: '/robots.txt',
    });
    await fetchUrls(page(1), `${court.url}/private/x`);
    const { code, stdout } = await curlew(['hosts', ...data(), '--json']);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        host: new URL(court.url).host,
        state: 'closed',
        failures: 0,
        nextProbeAt: null,
        rate: 2,
        intervalMs: 500,
        heldUntil: null,
        robots: { allowed: 1, disallowed: 1 },
        requests: 2,
        wait: null,
      },
    ]);
    expect((await curlew(['hosts', ...data()])).stdout).toContain(new URL(court.url).host);
  });

  it('shows that a host is down, and when it is probed next', async () => {
    const fault = court.faults.set({ kind: 'status', status: 503, path: '/case/' });
    const fetching = startCurlew(['fetch', ...Array.from({ length: 8 }, (_, id) => page(id + 1)), ...common()]);
    for (let n = 0; n < 5; n++) await court.log.arrival((entry) => entry.path === `/case/${n + 1}`);
    fetching.kill('SIGINT');
    await fetching.ended;
    const [host] = (await curlew(['hosts', ...data(), '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(host).toMatchObject({ state: 'open' });
    expect(host.nextProbeAt).toBeGreaterThan(Date.now());
    await court.faults.clear(fault);
  });

  it('proves from the ledger how polite a run was', async () => {
    court.faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path: '/case/2', count: 1 });
    const args = [...data(), '--allow-host', new URL(court.url).host, '--rate', '20', '--json'];
    await curlew(['fetch', page(1), page(2), page(3), page(4), ...args]);
    const receipt = JSON.parse((await curlew(['hosts', '--receipt', ...data(), '--json'])).stdout);
    expect(receipt).toMatchObject({ run: 1, name: 'fetch', rate: 20 });
    expect(receipt.hosts).toEqual([
      {
        host: new URL(court.url).host,
        requests: 6,
        shortestGapMs: expect.any(Number),
        peakPerSecond: expect.any(Number),
        crawlDelayMs: null,
        robots: [
          {
            origin: court.url,
            found: 'found',
            fetchedAt: expect.any(Number),
            reason: 'HTTP 200',
            text: 'User-agent: *\nDisallow: /private/\n',
          },
        ],
        retryAfters: [expect.objectContaining({ reason: '429 Too Many Requests', obeyed: true })],
        breakerOpenings: [],
      },
    ]);
    expect(receipt.hosts[0].shortestGapMs).toBeGreaterThanOrEqual(49);
    const text = (await curlew(['hosts', '--receipt', '1', ...data()])).stdout;
    expect(text).toContain('| Disallow: /private/');
    expect(text).toMatch(/Retry-After .* obeyed/);
  });

  it('says so when there is no such run', async () => {
    await fetchUrls(page(1));
    expect((await curlew(['hosts', '--receipt', '77', ...data()])).code).toBe(2);
  });
});
