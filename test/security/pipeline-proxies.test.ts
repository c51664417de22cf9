// Proxies, with real ones: everything goes through them, the outcome names them, and their password is nowhere.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { parseProxy } from '../../src/fetch/proxy/proxy-server.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { type HttpProxy, httpProxy } from '../fixtures/http-proxy.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type SocksProxy, socksProxy } from '../fixtures/socks-proxy.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';

const credentials = { user: 'clerk', password: 'Zx9-correct-horse' };
/** As it stands in a Proxy-Authorization header. */
const ENCODED = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');

const scratch = scratchDirectory();
let court: RunningCourt;
const proxies: (HttpProxy | SocksProxy)[] = [];
beforeEach(async () => {
  court = await startCourt();
});
afterEach(async () => {
  await court.close();
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function proxy(kind: 'http'): Promise<HttpProxy>;
async function proxy(kind: 'http' | 'socks5'): Promise<HttpProxy | SocksProxy>;
async function proxy(kind: 'http' | 'socks5'): Promise<HttpProxy | SocksProxy> {
  const started = await (kind === 'http' ? httpProxy({ credentials }) : socksProxy({ credentials }));
  proxies.push(started);
  return started;
}

/** Every file under a directory that holds one of these texts. */
async function holding(directory: string, ...texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    if (texts.some((text) => content.includes(text))) found.push(path);
  }
  return found;
}

/** Its address, and a mark of its user. */
const named = (kind: string, { port }: { readonly port: number }) =>
  expect.stringMatching(new RegExp(`^${kind}://127\\.0\\.0\\.1:${port}#[0-9a-f]{8}$`));

describe.each(['http', 'socks5'] as const)('a %s proxy', (kind) => {
  it('carries pages, redirects, robots.txt and probes, and is named without its password', async () => {
    const through = await proxy(kind);
    const clock = new FakeClock();
    const pipeline = await testPipeline({ proxy: through.url }, { clock });
    expect(await pipeline.fetch(`${court.url}/case/1`)).toMatchObject({
      kind: 'ok',
      proxy: named(kind, through),
    });
    const fault = court.faults.set({ kind: 'status', status: 503 });
    for (let time = 0; time < 5; time++) await pipeline.fetch(`${court.url}/case/2`);
    await court.faults.clear(fault);
    expect(await flyTime(clock, pipeline.fetch(`${court.url}/case/2`))).toMatchObject({ kind: 'ok' });
    const seen = court.log.entries.map(({ method, path }) => `${method} ${path}`);
    expect(seen).toContain('GET /robots.txt');
    expect(seen).toContain('HEAD /');
    expect(court.stats().connections).toBe(through.targets.length);
    expect(JSON.stringify(pipeline.events())).not.toContain(credentials.password);
  });

  it('leaves its password in no output, no table, no file', async () => {
    const through = await proxy(kind);
    const args = ['fetch', `${court.url}/case/1`, `${court.url}/case/9999`, '--proxy', through.url, '--rate', 'off'];
    const where = ['--allow-host', new URL(court.url).host, '--data', scratch('data')];
    const { stdout, stderr } = await curlew([...args, ...where, '--json']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).proxy),
    ).toEqual(Array(2).fill(named(kind, through)));
    expect(through.targets.length).toBeGreaterThan(0);
    expect(await holding(scratch('data'), new URL(court.url).host)).not.toEqual([]);
    expect(await holding(scratch('data'), credentials.password, ENCODED)).toEqual([]);
    expect(stdout + stderr).not.toContain(credentials.password);
  });

  it('that wants another password is no fault of the site, and says so without repeating it', async () => {
    const through = await proxy(kind);
    const wrong = through.url.replace(credentials.password, 'wrong-pass-word');
    const pipeline = await testPipeline({ proxy: wrong });
    const outcome = await pipeline.fetch(`${court.url}/case/1`);
    expect(outcome).toMatchObject({ kind: 'site_wide', failure: 'proxy_auth' });
    expect(JSON.stringify(outcome)).not.toContain('wrong-pass-word');
    expect(court.stats().connections).toBe(0);
    expect(
      pipeline.takeUnsaved().hosts.get(new URL(court.url).host)?.breaker ?? { kind: 'closed', failures: 0 },
    ).toMatchObject({ kind: 'closed', failures: 0 });
  });
});

describe('a proxy that is gone', () => {
  it('rests after five failures, is probed, and is used again when it is back; the site is never taken for down', async () => {
    const through = await proxy('http');
    through.hangUp(true);
    const clock = new FakeClock();
    const pipeline = await testPipeline({ proxy: through.url }, { clock });
    for (let time = 0; time < 5; time++) {
      expect(await pipeline.fetch(`${court.url}/case/1`)).toMatchObject({
        kind: 'site_wide',
        failure: 'proxy_unreachable',
      });
    }
    expect(through.targets).toHaveLength(5);
    const back = clock.sleep(40_000).then(() => through.hangUp(false));
    expect(await flyTime(clock, pipeline.fetch(`${court.url}/case/1`))).toMatchObject({ kind: 'ok' });
    await back;
    // Five in a row, then a probe after 30 s and one after another minute.
    const breaker = pipeline.events().filter(({ kind }) => kind === 'breaker');
    const name = `http://127.0.0.1:${through.port}`;
    expect(breaker).toMatchObject([
      { host: name, state: 'open' },
      { host: name, state: 'closed' },
    ]);
    expect(court.log.entries.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /',
      'GET /robots.txt',
      'GET /case/1',
    ]);
    expect(pipeline.events().filter(({ kind }) => kind === 'robots_unreachable')).toEqual([]);
  });

  it.each([502, 504])('is not one that says %d of a target that is gone, and goes on with others', async (status) => {
    const through = await proxy('http');
    const pipeline = await testPipeline({ proxy: through.url, allowHosts: ['127.0.0.1', 'gone.example'] });
    through.refuseWith(status);
    for (let time = 0; time < 6; time++) {
      expect(await pipeline.fetch(`https://gone.example:${time + 1}/robots.txt`)).toMatchObject({
        kind: 'site_wide',
        failure: 'unreachable',
      });
    }
    through.refuseWith(undefined);
    expect(await pipeline.fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'ok' });
    expect(pipeline.events().filter(({ kind }) => kind === 'breaker')).toEqual([]);
  });

  // squid says 503 of a target that it cannot reach or find, and 403 of one that its rules forbid.
  it.each([503, 403])('is not one that says %d of eight targets: only the ways there rest', async (status) => {
    const through = await proxy('http');
    through.refuseOnly((target) => target.includes('dead'));
    through.refuseWith(status);
    const clock = new FakeClock();
    const pipeline = await testPipeline({ proxy: through.url, robots: 'off' }, { clock });
    for (let time = 0; time < 5; time++) {
      for (let host = 0; host < 8; host++) {
        const outcome = await pipeline.fetch(`https://dead${host}.example/`);
        expect(outcome).toMatchObject({ kind: 'site_wide', failure: 'proxy_refused' });
      }
    }
    const way = `http://127.0.0.1:${through.port} to https://dead0.example`;
    expect(pipeline.events().filter(({ kind }) => kind === 'breaker')).toHaveLength(8);
    expect(pipeline.events()).toContainEqual(expect.objectContaining({ kind: 'breaker', host: way, state: 'open' }));
    const waiting = pipeline.fetch('https://dead0.example/');
    expect(await pipeline.fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'ok' });
    // What it was asked for: five times each, and the page.
    expect(through.targets).toHaveLength(41);
    const back = clock.sleep(40_000).then(() => through.refuseWith(502));
    expect(await flyTime(clock, waiting)).toMatchObject({ kind: 'site_wide', failure: 'unreachable' });
    await back;
  });

  it('does not hold up requests that go another way', async () => {
    const [dead, alive] = [await proxy('http'), await proxy('socks5')];
    dead.refuseWith(503);
    const pipeline = await testPipeline();
    for (let time = 0; time < 5; time++) await pipeline.fetch(`${court.url}/case/1`, { proxy: parseProxy(dead.url) });
    const url = `${court.url}/case/1`;
    expect(await pipeline.fetch(url, { proxy: parseProxy(alive.url) })).toMatchObject({
      kind: 'ok',
      proxy: expect.stringContaining('socks5://'),
    });
    expect(await pipeline.fetch(url)).not.toHaveProperty('proxy');
  });
});
