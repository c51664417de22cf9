import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { httpProxy } from '../../../test/fixtures/http-proxy.ts';
import { type RawServer, type RawServerOptions, rawServer } from '../../../test/fixtures/raw-server.ts';
import { socksProxy } from '../../../test/fixtures/socks-proxy.ts';
import { systemSockets } from '../../platform/sockets.ts';
import { parseHostPattern } from '../guard/host-pattern.ts';
import type { HopResult } from '../http/hop-result.ts';
import { HttpHop, type HttpHopOptions } from '../http/http-hop.ts';
import { parseProxy } from './proxy-server.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/security/fixtures/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('good.key'), cert: fixture('good.pem') };
const extraCa = [fixture('root.pem')];
const credentials = { user: 'me', password: 'p@ss:word' };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
function kept<T extends { close(): Promise<void> }>(thing: T): T {
  open.push(thing);
  return thing;
}

async function site(options: RawServerOptions = {}): Promise<RawServer> {
  const page = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage';
  return kept(await rawServer((socket) => socket.write(page), options));
}

const proxies = {
  http: (options = {}) => httpProxy(options),
  https: (options = {}) => httpProxy({ tls, ...options }),
  socks5: (options = {}) => socksProxy(options),
};
const urlWith = (url: string, user: string, password: string) => {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
};

function send(url: string, proxy: string, options: HttpHopOptions = {}): Promise<HopResult> {
  const hop = kept(new HttpHop({ allow: [parseHostPattern('127.0.0.1')], extraCa, connectMs: 3000, ...options }));
  return hop.send({ url: new URL(url), method: 'GET', headers: [], proxy: parseProxy(proxy) });
}

describe.each(['http', 'https', 'socks5'] as const)('a proxy of kind %s', (kind) => {
  it.each(['http', 'https'])('carries a request to an %s site', async (scheme) => {
    const proxy = kept(await proxies[kind]());
    const target = await site(scheme === 'https' ? { tls } : {});
    expect(await send(target.origin, proxy.url)).toMatchObject({ kind: 'answer', remoteAddress: undefined });
    expect(proxy.targets).toEqual([`127.0.0.1:${target.port}`]);
    expect(target.connections()).toBe(1);
  });

  it('keeps the tunnel for the next request to the same site', async () => {
    const proxy = kept(await proxies[kind]());
    const target = await site();
    const hop = kept(new HttpHop({ allow: [parseHostPattern('127.0.0.1')], extraCa }));
    const request = { url: new URL(target.origin), method: 'GET', headers: [], proxy: parseProxy(proxy.url) };
    for (let index = 0; index < 3; index += 1) expect(await hop.send(request)).toMatchObject({ kind: 'answer' });
    expect(proxy.targets.length).toBe(1);
  });

  it('gets user and password', async () => {
    const proxy = kept(await proxies[kind]({ credentials }));
    const target = await site();
    const url = urlWith(proxy.url, 'me', 'p@ss:word');
    expect(await send(target.origin, url)).toMatchObject({ kind: 'answer' });
    expect(target.received().toLowerCase()).not.toContain('proxy-');
  });

  it('that does not know the password is told apart, and the password is not repeated', async () => {
    const proxy = kept(await proxies[kind]({ credentials }));
    const target = await site();
    const result = await send(target.origin, urlWith(proxy.url, 'me', 'wrong-secret'));
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_auth' });
    expect(JSON.stringify(result)).not.toContain('wrong-secret');
    const none = await send(target.origin, urlWith(proxy.url, '', ''));
    expect(none).toMatchObject({ kind: 'failure', code: 'proxy_auth' });
    expect(target.connections()).toBe(0);
  });

  it('that refuses is told apart', async () => {
    const proxy = kept(await proxies[kind]());
    proxy.refuseWith(kind === 'socks5' ? 2 : 403);
    const target = await site();
    expect(await send(target.origin, proxy.url)).toMatchObject({ kind: 'failure', code: 'proxy_refused' });
    expect(target.connections()).toBe(0);
  });

  it('that is gone is told apart', async () => {
    const proxy = await proxies[kind]();
    await proxy.close();
    const target = await site();
    expect(await send(target.origin, proxy.url)).toMatchObject({ kind: 'failure', code: 'proxy_unreachable' });
  });

  it('that accepts and is silent, or hangs up, is told apart', async () => {
    const scheme = kind;
    const target = await site();
    const silent = kept(await rawServer());
    const url = `${scheme}://127.0.0.1:${silent.port}`;
    expect(await send(target.origin, url, { connectMs: 200 })).toMatchObject({ code: 'proxy_unreachable' });
    const rude = kept(await rawServer((socket) => socket.destroy()));
    const rudeUrl = `${scheme}://127.0.0.1:${rude.port}`;
    expect(await send(target.origin, rudeUrl, { connectMs: 500 })).toMatchObject({ code: 'proxy_unreachable' });
  });

  it('is checked for the certificate of the site behind it', async () => {
    const proxy = kept(await proxies[kind]());
    const target = await site({ tls: { key: fixture('expired.key'), cert: fixture('expired.pem') } });
    expect(await send(target.origin, proxy.url)).toMatchObject({ kind: 'failure', code: 'tls' });
  });
});

describe('a SOCKS5 proxy', () => {
  it('resolves the name itself', async () => {
    const target = await site();
    const proxy = kept(await socksProxy({ hosts: { 'court.example': '127.0.0.1' } }));
    const sockets = { resolve: () => Promise.reject(new Error('asked here')), connect: systemSockets.connect };
    expect(await send(`http://court.example:${target.port}/`, proxy.url, { sockets })).toMatchObject({
      kind: 'answer',
    });
    expect(proxy.targets).toEqual([`court.example:${target.port}`]);
  });

  it.each([
    [4, 'unreachable'],
    [5, 'connect_refused'],
    [1, 'proxy_refused'],
    [99, 'proxy_refused'],
  ])('that replies %i says %s', async (reply, code) => {
    const proxy = kept(await socksProxy());
    proxy.refuseWith(reply);
    expect(await send('http://93.184.215.14/', proxy.url)).toMatchObject({ kind: 'failure', code });
  });
});

describe('an HTTP proxy', () => {
  it.each([
    ['answers in another language', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['never ends its answer', `HTTP/1.1 200 OK\r\n${'X-Long: yes\r\n'.repeat(2000)}`],
  ])('that %s is refused', async (_what, text) => {
    const proxy = kept(await rawServer((socket) => socket.write(text)));
    const result = await send('http://93.184.215.14/', `http://127.0.0.1:${proxy.port}`);
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_refused' });
  });
});

describe('HttpHop', () => {
  it('serves many proxies one after the other, each by its own connections', async () => {
    const proxy = kept(await httpProxy());
    const target = await site();
    const hop = kept(new HttpHop({ allow: [parseHostPattern('127.0.0.1')] }));
    const url = new URL(target.origin);
    // More than it keeps agents for.
    for (let index = 0; index < 70; index += 1) {
      const one = parseProxy(urlWith(proxy.url, `session-${index}`, 'x'));
      expect(await hop.send({ url, method: 'GET', headers: [], proxy: one })).toMatchObject({ kind: 'answer' });
    }
    expect(proxy.targets.length).toBe(70);
  });
});
