import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../src/platform/fake-clock.ts';
import type { RequestFault } from './fault.ts';
import { rawGet } from './raw-get.ts';
import { htmlReply, type Reply } from './reply.ts';
import { type Site, type SiteOptions, startSite } from './site.ts';

const PAGE = 'x'.repeat(1_000);
const STREAM: Reply = {
  status: 200,
  headers: { 'content-type': 'application/octet-stream' },
  body: { length: 6, chunks: () => [Buffer.from('abc'), Buffer.from('def')] },
};

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
});

async function start(options: SiteOptions = {}, fault?: RequestFault): Promise<Site> {
  site = await startSite(({ pathname }) => (pathname === '/stream' ? STREAM : htmlReply(200, PAGE)), options);
  if (fault !== undefined) site.faults.set(fault);
  return site;
}

describe('a status fault', () => {
  it('answers with its status, headers and body', async () => {
    const { url } = await start({}, { kind: 'status', status: 429, headers: { 'retry-after': '3' }, body: 'later' });
    const { statusCode, headers, body } = await request(url);
    expect([statusCode, headers['retry-after'], await body.text()]).toEqual([429, '3', 'later']);
  });

  it('answers with a page that names the status when it has no body', async () => {
    const { url } = await start({}, { kind: 'status', status: 503 });
    const { body } = await request(url);
    expect(await body.text()).toContain('<h1>503 Service Unavailable</h1>');
  });
});

describe('a reset fault', () => {
  it('resets the connection before any byte of an answer', async () => {
    const { url } = await start({}, { kind: 'reset' });
    expect(await rawGet(url)).toMatchObject({ head: '', body: Buffer.alloc(0), end: 'ECONNRESET' });
  });

  it.each([0, 1, 700, 1_000])('resets after the head and %i bytes of the body', async (afterBytes) => {
    const { url } = await start({}, { kind: 'reset', afterBytes });
    const { head, body, end } = await rawGet(url);
    expect(head).toContain('content-length: 1000');
    expect({ length: body.length, end }).toEqual({ length: afterBytes, end: 'ECONNRESET' });
  });

  it('counts bytes over the chunks of a streamed body', async () => {
    const { url } = await start({}, { kind: 'reset', afterBytes: 4 });
    expect((await rawGet(`${url}/stream`)).body.toString()).toBe('abcd');
  });
});

describe('a truncate fault', () => {
  it('promises more than it sends', async () => {
    const { url } = await start({}, { kind: 'truncate', missingBytes: 5 });
    const { head, body, end } = await rawGet(url);
    expect(head).toContain('content-length: 1005');
    expect({ length: body.length, end }).toEqual({ length: 1_000, end: 'FIN' });
  });

  it('is noticed by an HTTP client', async () => {
    const { url } = await start({}, { kind: 'truncate' });
    const { body } = await request(url);
    await expect(body.text()).rejects.toThrow();
  });
});

describe('a slow fault', () => {
  it('sends the head at once and the body at its speed', async () => {
    const clock = new FakeClock();
    const { url } = await start({ clock }, { kind: 'slow', bytesPerSecond: 200 });
    let received = 0;
    let tell: () => void = () => undefined;
    const answer = rawGet(url, (count) => {
      received = count;
      tell();
    });
    const receivedAtLeast = (count: number) =>
      new Promise<void>((resolve) => {
        tell = () => received >= count && resolve();
        tell();
      });
    // Time stands still unless it is moved, so each piece of 20 bytes comes when 100 ms are granted.
    for (let granted = 20; granted <= 1_000; granted += 20) {
      await nextSleeper(clock);
      expect(received).toBe(granted - 20);
      await clock.advance(100);
      await receivedAtLeast(granted);
    }
    await site?.close();
    expect((await answer).body.toString()).toBe(PAGE);
  });
});

describe('a silent fault', () => {
  it('reads the request, never answers and keeps the connection', async () => {
    const { url, log } = await start({}, { kind: 'silent' });
    let ended = false;
    const answer = rawGet(url).finally(() => {
      ended = true;
    });
    const entry = await log.arrival(() => true);
    await request(`${url}/__sim/stats`);
    expect({ ended, status: entry.status, finishedAt: entry.finishedAt }).toEqual({
      ended: false,
      status: null,
      finishedAt: null,
    });
    await site?.close();
    expect(await answer).toMatchObject({ head: '', end: 'FIN' });
  });
});

describe('a latency fault', () => {
  it("comes on top of the site's own latency", async () => {
    const clock = new FakeClock();
    const { url, log } = await start({ clock, latencyMs: 20 }, { kind: 'latency', ms: 400 });
    const answer = request(url);
    await nextSleeper(clock);
    await clock.advance(419);
    expect(log.entries[0]?.status).toBeNull();
    await clock.advance(1);
    expect((await answer).statusCode).toBe(200);
    await (await answer).body.dump();
  });
});

describe('a whole answer', () => {
  it('streams with its length known', async () => {
    const { url } = await start();
    const { headers, body } = await request(`${url}/stream`);
    expect([headers['content-length'], await body.text()]).toEqual(['6', 'abcdef']);
  });

  it('has the same head and no body for HEAD', async () => {
    const { url } = await start();
    const { headers, body } = await request(`${url}/stream`, { method: 'HEAD' });
    expect([headers['content-length'], await body.text()]).toEqual(['6', '']);
  });

  it('is compressed in the best coding the client accepts, if the site compresses', async () => {
    const { url } = await start({ compress: true });
    const codings = async (accepted: string) => {
      const { headers, body } = await request(url, { headers: { 'accept-encoding': accepted } });
      return { coding: headers['content-encoding'], bytes: Buffer.from(await body.arrayBuffer()) };
    };
    const brotli = await codings('gzip, br');
    const gzip = await codings('gzip');
    const plain = await codings('identity');
    expect([brotli.coding, gzip.coding, plain.coding]).toEqual(['br', 'gzip', undefined]);
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(PAGE);
    expect(gunzipSync(gzip.bytes).toString()).toBe(PAGE);
    expect(plain.bytes.toString()).toBe(PAGE);
  });
});

/** Waits until somebody sleeps on the clock. */
async function nextSleeper(clock: FakeClock): Promise<void> {
  while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
}
