import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpProxy } from '../../../test/fixtures/http-proxy.ts';
import { listening } from '../../../test/fixtures/listening.ts';
import { measuredSockets } from '../../../test/fixtures/measured-sockets.ts';
import { type RawServer, type RawServerOptions, rawServer, writeForever } from '../../../test/fixtures/raw-server.ts';
import { socksProxy } from '../../../test/fixtures/socks-proxy.ts';
import { systemSockets } from '../../platform/sockets.ts';
import { parseHostPattern } from '../guard/host-pattern.ts';
import type { HopRequest, HopResult } from '../http/hop-result.ts';
import { HttpHop, type HttpHopOptions } from '../http/http-hop.ts';
import { parseProxy } from './proxy-server.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/security/fixtures/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('good.key'), cert: fixture('good.pem') };
const extraCa = [fixture('root.pem')];
// The caps, 128 KiB at most, and what the socket had read ahead.
const mostBytes = 512 * 1024;
const SOCKS_OPEN = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
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

describe('a SOCKS5 proxy that hangs up in the middle of a word', () => {
  it.each([1, 3, 5, 11])('after %i bytes is none, and keeps nobody else from his turn', async (count) => {
    const words = Buffer.concat([Buffer.from([5, 0]), SOCKS_OPEN]);
    const onSocket = (socket: Socket) => socket.once('data', () => socket.end(words.subarray(0, count)));
    const proxy = kept(await listening(createServer(onSocket)));
    const result = await send('http://93.184.215.14/', `socks5://127.0.0.1:${proxy.port}`);
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_unreachable' });
  });
});

describe('an HTTP proxy', () => {
  it.each([
    ['answers in another language', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['never ends its answer', `HTTP/1.1 200 OK\r\n${'X-Long: yes\r\n'.repeat(2000)}`],
    ['answers with a status that is none', 'HTTP/1.1 000 What\r\n\r\n'],
  ])('that %s is none', async (_what, text) => {
    const proxy = kept(await rawServer((socket) => socket.write(text)));
    const result = await send('http://93.184.215.14/', `http://127.0.0.1:${proxy.port}`);
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_unreachable' });
  });

  it.each([
    ['fields', 'HTTP/1.1 200 OK\r\n', 'X-Long: yes\r\n'],
    ['reason', 'HTTP/1.1 200 ', 'a'],
    ['blank lines', '\n', '\n'],
  ])('whose answer has no end of %s is given up soon', async (_what, begin, more) => {
    const proxy = kept(
      await rawServer((socket) => {
        socket.write(begin);
        writeForever(socket, Buffer.from(more.repeat(4096)));
      }),
    );
    const { sockets, bytesRead } = measuredSockets();
    const result = await send('http://93.184.215.14/', `http://127.0.0.1:${proxy.port}`, { sockets });
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_unreachable' });
    expect(bytesRead()).toBeLessThan(mostBytes);
  });

  it('may announce its answer (RFC 9110 §15.2)', async () => {
    const page = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage';
    const opened = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n';
    const proxy = kept(await rawServer((socket, head) => socket.write(head.startsWith('CONNECT') ? opened : page)));
    const result = await send('http://93.184.215.14/', `http://127.0.0.1:${proxy.port}`);
    expect(result).toMatchObject({ kind: 'answer', status: 200 });
  });

  it.each([502, 504])('that says %i says it of the target', async (status) => {
    const proxy = kept(await httpProxy());
    proxy.refuseWith(status);
    expect(await send('http://93.184.215.14/', proxy.url)).toMatchObject({ kind: 'failure', code: 'unreachable' });
  });

  it.each(['http', 'https'] as const)('gets a password without a name, over %s', async (kind) => {
    const proxy = kept(await proxies[kind]({ credentials: { user: '', password: 'tok3n' } }));
    const target = await site();
    expect(await send(target.origin, urlWith(proxy.url, '', 'tok3n'))).toMatchObject({ kind: 'answer' });
  });
});

describe.each(['http', 'https'] as const)('a proxy of kind %s with tunnels to port 443 only', (kind) => {
  const start = async (options = {}) => kept(await proxies[kind]({ tunnelsTo443Only: true, ...options }));
  const hopTo = (proxy: string) => {
    const hop = kept(new HttpHop({ allow: [parseHostPattern('127.0.0.1')], extraCa }));
    return (url: string, rest: Partial<HopRequest> = {}) =>
      hop.send({ url: new URL(url), method: 'GET', headers: [], proxy: parseProxy(proxy), ...rest });
  };

  it('is asked for plain pages in absolute form, with the password that the site never sees', async () => {
    const proxy = await start({ credentials });
    const target = await site();
    const get = hopTo(urlWith(proxy.url, credentials.user, credentials.password));
    const result = await get(`${target.origin}/a?b=c`, { headers: [['X-Own', '1']] });
    expect(result).toMatchObject({ kind: 'answer', status: 200, remoteAddress: undefined });
    expect(JSON.stringify(result).toLowerCase()).not.toContain('proxy-authorization');
    expect(proxy.targets).toEqual([`127.0.0.1:${target.port}`, `${target.origin}/a?b=c`]);
    expect(target.received()).toMatch(/^GET \/a\?b=c HTTP\/1\.1\r\n/);
    expect(target.received().toLowerCase()).toContain(`host: 127.0.0.1:${target.port}\r\n`);
    expect(target.received().toLowerCase()).not.toContain('proxy-');
  });

  it('is asked for a tunnel once, and keeps its connection for the next page of the same site', async () => {
    const proxy = await start();
    const target = await site();
    const get = hopTo(proxy.url);
    for (const path of ['/1', '/2', '/3']) expect(await get(target.origin + path)).toMatchObject({ kind: 'answer' });
    expect(proxy.targets.filter((asked) => !asked.includes('://'))).toHaveLength(1);
    expect(proxy.connections()).toBe(2);
  });

  it('is believed when it says 403 of a page, once it has passed on another', async () => {
    const proxy = await start();
    const target = kept(
      await rawServer((socket, head) =>
        socket.write(`HTTP/1.1 ${head.startsWith('GET /secret') ? 403 : 200} What\r\nContent-Length: 0\r\n\r\n`),
      ),
    );
    const get = hopTo(proxy.url);
    expect(await get(`${target.origin}/`)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await get(`${target.origin}/secret`)).toMatchObject({ kind: 'answer', status: 403 });
  });

  it('that says no to the page too has refused, and is asked for it once only', async () => {
    const proxy = await start();
    const target = await site();
    const get = hopTo(proxy.url);
    proxy.refuseWith(403);
    for (let time = 0; time < 3; time += 1) {
      expect(await get(target.origin)).toMatchObject({ kind: 'failure', code: 'proxy_refused' });
    }
    expect(proxy.targets).toHaveLength(4);
    expect(target.connections()).toBe(0);
  });

  it('that wants another password for the page is told apart', async () => {
    const proxy = kept(
      await rawServer(
        (socket, head) =>
          socket.write(`HTTP/1.1 ${head.startsWith('CONNECT') ? 405 : 407} No\r\nContent-Length: 0\r\n\r\n`),
        kind === 'https' ? { tls } : {},
      ),
    );
    const result = await send('http://site.example/', `${kind}://127.0.0.1:${proxy.port}`);
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_auth' });
  });

  it('is not asked for what must not be reached', async () => {
    const proxy = await start();
    for (const url of ['http://127.0.0.2/', 'http://localhost/', 'http://10.0.0.1/', 'http://router.local/']) {
      expect(await send(url, proxy.url)).toMatchObject({ kind: 'failure', code: 'address_refused' });
    }
    expect(proxy.targets).toEqual([]);
  });

  it('sends a request once, and only when it may leave', async () => {
    const proxy = await start();
    const target = await site();
    const get = hopTo(proxy.url);
    let sent = 0;
    const onSent = () => {
      sent += 1;
      return sent > 1;
    };
    expect(await get(target.origin, { onSent })).toEqual({ kind: 'aborted', recalled: true });
    expect(target.connections()).toBe(0);
    expect(await get(target.origin, { onSent })).toMatchObject({ kind: 'answer' });
    expect(sent).toBe(2);
  });
});

describe.each(['http', 'socks5'] as const)('the site behind a proxy of kind %s', (kind) => {
  it.each(['http', 'https'])('cannot answer without end over %s', async (scheme) => {
    const proxy = kept(await proxies[kind]());
    const target = kept(
      await rawServer(
        (socket) => writeForever(socket, Buffer.from(`HTTP/1.1 200 ${'a'.repeat(2 ** 16)}`)),
        scheme === 'https' ? { tls } : {},
      ),
    );
    const { sockets, bytesRead } = measuredSockets();
    const timeouts = { headersMs: 1500, idleMs: 1500, totalMs: 1500 };
    const result = await send(target.origin, proxy.url, { sockets, timeouts });
    expect(result).toMatchObject({ kind: 'failure', code: 'headers_too_large' });
    expect(bytesRead()).toBeLessThan(mostBytes);
  });
});

describe('a site that speaks before it is asked', () => {
  const greeting = 'hello\r\n';
  const early: Readonly<Record<string, (socket: Socket, times: number) => void>> = {
    http: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${greeting}`),
    socks5: (socket, times) =>
      socket.write(times === 1 ? Buffer.from([5, 0]) : Buffer.concat([SOCKS_OPEN, Buffer.from(greeting)])),
  };
  /** A proxy that passes on the first bytes of the site, together with its own last ones. */
  async function hastyProxy(kind: 'http' | 'socks5') {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      let times = 0;
      socket.on('data', () => early[kind]?.(socket, (times += 1)));
    });
    const { port, close } = await listening(server);
    return kept({ url: `${kind}://127.0.0.1:${port}`, connections: () => connections, close });
  }

  it.each(['http', 'socks5'] as const)('behind a proxy of kind %s gets one connection for a request', async (kind) => {
    const proxy = await hastyProxy(kind);
    const hop = kept(new HttpHop());
    const request = { url: new URL('http://site.example/'), method: 'GET', headers: [], proxy: parseProxy(proxy.url) };
    for (let time = 1; time <= 3; time += 1) {
      expect(await hop.send(request)).toMatchObject({ kind: 'failure', code: 'protocol' });
      expect(proxy.connections()).toBe(time);
    }
  });

  it('and hangs up at once gets one connection for a request too', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    });
    const { port } = kept(await listening(server));
    const result = await send('http://site.example/', `http://127.0.0.1:${port}`);
    expect(result).toMatchObject({ kind: 'failure', code: 'reset_before_answer' });
    expect(connections).toBe(1);
  });

  it('on a connection that has served before costs that one only', async () => {
    let connections = 0;
    const page = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const served: Socket[] = [];
    const server = createServer((socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.on('data', () => socket.write(page));
        served.push(socket);
      });
    });
    const { port } = kept(await listening(server));
    const hop = kept(new HttpHop({ socketsPerOrigin: 1 }));
    const proxy = parseProxy(`http://127.0.0.1:${port}`);
    const request = { url: new URL('http://site.example/'), method: 'GET', headers: [], proxy };
    expect(await hop.send(request)).toMatchObject({ kind: 'answer' });
    const [socket] = served;
    const closed = new Promise((resolve) => socket?.on('close', resolve));
    socket?.write(greeting);
    await closed;
    expect(await hop.send(request)).toMatchObject({ kind: 'answer' });
    expect(connections).toBe(2);
  });
});

describe('a SOCKS5 proxy that talks without end', () => {
  it('is given up soon', async () => {
    const onSocket = (socket: Socket) => writeForever(socket, Buffer.alloc(2 ** 16, 'a'));
    const proxy = kept(await listening(createServer(onSocket)));
    const { sockets, bytesRead } = measuredSockets();
    const result = await send('http://93.184.215.14/', `socks5://127.0.0.1:${proxy.port}`, { sockets });
    expect(result).toMatchObject({ kind: 'failure', code: 'proxy_unreachable' });
    expect(bytesRead()).toBeLessThan(mostBytes);
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
