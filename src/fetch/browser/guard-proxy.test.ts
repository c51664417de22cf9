import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { letThrough } from '../../../test/fixtures/let-through.ts';
import { type RawServer, rawServer } from '../../../test/fixtures/raw-server.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/random.ts';
import { systemSockets } from '../../platform/sockets.ts';
import { AddressGuard } from '../guard/address-guard.ts';
import { parseHostPattern } from '../guard/host-pattern.ts';
import { Dialer } from '../http/dialer.ts';
import type { HeaderList } from '../outcome.ts';
import type { Admit, RequestEnd } from './admit.ts';
import { GuardProxy } from './guard-proxy.ts';
import { PageTraffic } from './page-traffic.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function startProxy(allow = ['127.0.0.1']): Promise<GuardProxy> {
  const guard = new AddressGuard(systemSockets, allow.map(parseHostPattern));
  const dialer = new Dialer({ sockets: systemSockets, guard, connectMs: 5_000, extraCa: [] });
  const proxy = await GuardProxy.start({ dialer, random: systemRandom, idleMs: 5_000 });
  cleanups.push(() => proxy.close());
  return proxy;
}

async function startServer(...parameters: Parameters<typeof rawServer>): Promise<RawServer> {
  const server = await rawServer(...parameters);
  cleanups.push(() => server.close());
  return server;
}

const open: Admit = async () => letThrough();

function trafficTo(url: string, { admit = open, maxBytes = 1_000_000, headers = [] as HeaderList } = {}): PageTraffic {
  return new PageTraffic({ url: new URL(url), headers, admit, maxBytes, clock: systemClock });
}

/** Everything the proxy says to `message`, until it closes the connection. */
async function say(proxyUrl: string, message: string): Promise<string> {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connectTls({ host: '127.0.0.1', port: Number(port), servername: hostname, rejectUnauthorized: false });
  socket.on('error', () => {});
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  socket.write(message);
  await once(socket, 'close');
  return heard;
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`;
const answering =
  (body: Buffer | string, fields = '') =>
  (socket: { end(bytes: Buffer): void }) =>
    socket.end(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${fields}\r\n`),
        Buffer.from(body),
      ]),
    );

describe('GuardProxy', () => {
  it('passes a request on and the answer back while a page is being loaded', async () => {
    const server = await startServer(answering('hello', 'X-Odd: 1\r\n'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    expect(await say(door.url, get(`${server.origin}/page?x=1`))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*X-Odd: 1\r\n[\s\S]*hello$/,
    );
    expect(server.received()).toMatch(/^GET \/page\?x=1 HTTP\/1\.1\r\nHost: /);
    expect(door.traffic.report()).toMatchObject({ sent: 1, refused: 0, failed: 0 });
  });

  it('lets nobody in who does not know a name, or knows one that is closed', async () => {
    const server = await startServer(answering('hello'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    const guess = door.url.replace(/\/\/\w/, (start) => (start === '//0' ? '//1' : '//0'));
    expect(await say(guess, get(server.origin))).toBe('');
    expect(await say(proxy.closedDoorUrl, get(server.origin))).toBe('');
    door.close();
    expect(await say(door.url, get(server.origin))).toBe('');
    expect(server.connections()).toBe(0);
  });

  it.each(['http://', 'ftp://', 'nonsense'])('breaks off what it cannot or must not do: %s', async (start) => {
    const server = await startServer(answering('hello'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    const target = start === 'http://' ? server.origin : `${start}127.0.0.1:${server.port}/`;
    // Without a page that is being loaded even a good request is nobody's.
    if (start !== 'http://') door.traffic = trafficTo(server.origin);
    const heard = await say(door.url, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(heard).toMatch(/^(HTTP\/1\.1 502 Not passed on by Curlew\r\n[\s\S]*)?$/);
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['a script for a service worker', 'Service-Worker: script'],
    ['what Chromium wants for its own sake', 'Sec-Fetch-Site: none\r\nSec-Fetch-Mode: no-cors'],
  ])('does not fetch %s', async (_, fields) => {
    const server = await startServer(answering('hello'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    const heard = await say(door.url, `GET ${server.origin}/x HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 502 Not passed on by Curlew\r\n/);
    expect(server.connections()).toBe(0);
  });

  it.each([
    'Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate',
    'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors',
  ])('fetches what a page or its reader wants: %j', async (fields) => {
    const server = await startServer(answering('hello'));
    const door = (await startProxy()).openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    const asked = get(`${server.origin}/x`).replace('\r\n\r\n', `\r\n${fields}\r\n\r\n`);
    expect(await say(door.url, asked)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('connects to nothing when a tunnel is opened', async () => {
    const server = await startServer(answering('hello'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    const tunnel = `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\nHost: x\r\n\r\n`;
    expect(await say(door.url, `${tunnel}SSH-2.0-nothing to do with HTTP\r\n\r\n`)).toBe('HTTP/1.1 200 Go on\r\n\r\n');
    expect(server.connections()).toBe(0);
  });

  it('does not connect when it is refused, by politeness or by the guard', async () => {
    const server = await startServer(answering('hello'));
    const proxy = await startProxy([]);
    const door = proxy.openDoor(undefined);
    for (const admit of [open, async () => ({ kind: 'refused', reason: 'robots' }) as const]) {
      door.traffic = trafficTo(server.origin, { admit });
      expect(await say(door.url, get(server.origin))).toContain('Content-Length: 0\r\nContent-Length: 1');
      expect(door.traffic.report()).toMatchObject({ sent: 0, refused: 1 });
    }
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['a status that is none', 'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n', 'status is 000'],
    ['a switch that nobody asked for', 'HTTP/1.1 101 \r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'bad upgrade'],
  ])('takes it for a failure of the site: %s', async (_what, text, reason) => {
    const closed = Promise.withResolvers<void>();
    const server = await startServer((socket) => socket.on('close', () => closed.resolve()).write(text));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    const ends: RequestEnd[] = [];
    const admit: Admit = async () => letThrough((end) => void ends.push(end));
    door.traffic = trafficTo(server.origin, { admit });
    expect(await say(door.url, get(server.origin))).toMatch(/^HTTP\/1\.1 502 Not passed on by Curlew\r\n/);
    expect(ends).toMatchObject([{ kind: 'failure', code: 'protocol', reason: expect.stringContaining(reason) }]);
    await closed.promise;
  });

  it('passes on an answer whose reason has characters that nobody should write', async () => {
    const server = await startServer((socket) =>
      socket.write('HTTP/1.1 200 O\x7f\x01K\r\nContent-Length: 2\r\n\r\nhi'),
    );
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin);
    expect(await say(door.url, get(server.origin))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*hi$/);
  });

  it('stops a bomb at the limit of the load', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000), { level: 9 });
    const server = await startServer(answering(bomb, 'Content-Encoding: gzip\r\n'));
    const proxy = await startProxy();
    const door = proxy.openDoor(undefined);
    door.traffic = trafficTo(server.origin, { maxBytes: 1_000_000 });
    const heard = await say(door.url, get(server.origin));
    expect(heard.length).toBeLessThan(1_100_000);
    await expect(door.traffic.trouble).rejects.toMatchObject({ code: 'decoded_too_large' });
  });

  it('closes twice', async () => {
    const proxy = await startProxy();
    await proxy.close();
    await proxy.close();
  });
});
