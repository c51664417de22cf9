// No connection is made to an address that is not public: asserted at listening sockets, and at the door through which
// every connection must go. Names are resolved by the test's own resolver.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import type { HopResult } from '../../src/fetch/http/hop-result.ts';
import { HttpHop, type HttpHopOptions } from '../../src/fetch/http/http-hop.ts';
import { parseProxy } from '../../src/fetch/proxy/proxy-server.ts';
import { type ResolvedAddress, type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { httpProxy } from '../fixtures/http-proxy.ts';
import { socksProxy } from '../fixtures/socks-proxy.ts';

// One port on every address of this machine, so that any spelling of "here" would be heard.
let server: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret'));
  });
  server.listen(0, '::');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const hops: HttpHop[] = [];
afterEach(async () => {
  connections = 0;
  for (const hop of hops.splice(0)) await hop.close();
});

function newHop(options: HttpHopOptions = {}): HttpHop {
  const hop = new HttpHop({ connectMs: 2000, timeouts: { headersMs: 2000 }, ...options });
  hops.push(hop);
  return hop;
}

const fetchFrom = (hop: HttpHop, url: string): Promise<HopResult> =>
  hop.send({ url: new URL(url), method: 'GET', headers: [] });

/** The network with a resolver that gives each answer in turn, and a door that notes who goes where. */
function watchedSockets(...answers: readonly (readonly string[])[]) {
  const dialled: string[] = [];
  let asked = 0;
  const sockets: Sockets = {
    async resolve() {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }) as ResolvedAddress);
    },
    connect(addresses) {
      dialled.push(...addresses.map(({ address }) => address));
      // Whatever the address, the test's own server answers.
      return connect(port, '127.0.0.1');
    },
  };
  return { sockets, dialled, asked: () => asked };
}

describe('the listening socket', () => {
  it('would answer if it were asked', async () => {
    const hop = newHop({ allow: [parseHostPattern(`127.0.0.1:${port}`)] });
    expect(await fetchFrom(hop, `http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answer', status: 200 });
    expect(connections).toBe(1);
  });
});

describe('an address written into the URL', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00::1]',
    '[fd12:3456:789a::1]',
    '[ff02::1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '168.63.129.16',
    '100.64.0.1',
    '100.127.255.255',
    '100.100.100.200',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
  ];
  it.each(spellings)('%s is refused without a connection', async (host) => {
    const { dialled, sockets } = watchedSockets([]);
    const hop = newHop({ sockets: { ...systemSockets, connect: sockets.connect } });
    expect(await fetchFrom(hop, `http://${host}:${port}/`)).toMatchObject({ kind: 'failure', code: 'address_refused' });
    expect(dialled).toEqual([]);
    expect(connections).toBe(0);
  });

  it('is refused for https alike', async () => {
    expect(await fetchFrom(newHop(), `https://127.0.0.1:${port}/`)).toMatchObject({ code: 'address_refused' });
    expect(connections).toBe(0);
  });

  it('is named in the refusal, with the way to allow it', async () => {
    const result = await fetchFrom(newHop(), `http://[::ffff:127.0.0.1]:${port}/`);
    expect(result).toMatchObject({ reason: expect.stringContaining(`--allow-host [::ffff:7f00:1]:${port}`) });
  });
});

describe('a name', () => {
  it.each(['localhost', 'localhost.', 'LOCALHOST', 'foo.localhost', 'foo.localhost.'])(
    '%s is refused without asking anyone',
    async (host) => {
      const { sockets, asked, dialled } = watchedSockets(['93.184.215.14']);
      const result = await fetchFrom(newHop({ sockets }), `http://${host}:${port}/`);
      expect(result).toMatchObject({ code: 'address_refused' });
      expect([asked(), dialled, connections]).toEqual([0, [], 0]);
    },
  );

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:192.168.0.1', 'fe80::1%eth0'])(
    'that resolves to %s is refused',
    async (address) => {
      const { sockets, dialled } = watchedSockets([address]);
      const result = await fetchFrom(newHop({ sockets }), `http://court.example:${port}/`);
      expect(result).toMatchObject({ code: 'address_refused', reason: expect.stringContaining(address) });
      expect([dialled, connections]).toEqual([[], 0]);
    },
  );

  it('with a public A and a private AAAA is reached on the public one only', async () => {
    const { sockets, dialled } = watchedSockets(['::1', '93.184.215.14', 'fd00::7', '10.0.0.1']);
    const result = await fetchFrom(newHop({ sockets }), 'http://court.example/');
    expect(result).toMatchObject({ kind: 'answer' });
    expect(dialled).toEqual(['93.184.215.14']);
  });

  it('that is resolved to a public address first and a private one next is asked for once, and pinned', async () => {
    const { sockets, dialled, asked } = watchedSockets(['93.184.215.14'], ['127.0.0.1']);
    const hop = newHop({ sockets });
    expect(await fetchFrom(hop, 'http://rebind.example/')).toMatchObject({ kind: 'answer' });
    expect([asked(), dialled]).toEqual([1, ['93.184.215.14']]);
    // A new connection asks again, gets the private address, and goes nowhere.
    const again = newHop({ sockets });
    expect(await fetchFrom(again, 'http://rebind.example/')).toMatchObject({ code: 'address_refused' });
    expect(dialled).toEqual(['93.184.215.14']);
  });

  it('that cannot be resolved is a failure of DNS', async () => {
    const sockets = { ...systemSockets, resolve: () => Promise.reject(new Error('ENOTFOUND')) };
    expect(await fetchFrom(newHop({ sockets }), 'http://court.example/')).toMatchObject({ code: 'dns' });
  });

  it('cannot borrow the permission of an address', async () => {
    const { sockets, dialled } = watchedSockets(['127.0.0.1']);
    const hop = newHop({ sockets, allow: [parseHostPattern('127.0.0.1')] });
    expect(await fetchFrom(hop, `http://evil.example:${port}/`)).toMatchObject({ code: 'address_refused' });
    expect(dialled).toEqual([]);
  });
});

describe('the door', () => {
  it('pins the connection to the addresses given, and asks no resolver', async () => {
    const socket = systemSockets.connect(
      [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
      port,
    );
    await once(socket, 'connect');
    expect(['::1', '127.0.0.1']).toContain(socket.remoteAddress);
    socket.destroy();
  });
});

describe('--allow-host', () => {
  it('with a port opens that port only', async () => {
    const other = createServer(() => {
      throw new Error('connected');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const otherPort = (other.address() as AddressInfo).port;
    const hop = newHop({ allow: [parseHostPattern(`127.0.0.1:${port}`)] });
    expect(await fetchFrom(hop, `http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answer' });
    expect(await fetchFrom(hop, `http://127.0.0.1:${otherPort}/`)).toMatchObject({ code: 'address_refused' });
    other.close();
  });

  it('lets a name through with all its addresses', async () => {
    const { sockets, dialled } = watchedSockets(['127.0.0.1', '::1']);
    const hop = newHop({ sockets, allow: [parseHostPattern('court.example')] });
    expect(await fetchFrom(hop, 'http://court.example./')).toMatchObject({ kind: 'answer' });
    expect(dialled).toEqual(['127.0.0.1', '::1']);
  });
});

describe('through a proxy', () => {
  it.each([
    '127.0.0.1',
    '[::1]',
    '2130706433',
    '169.254.169.254',
    'localhost',
    'x.localhost.',
    'metadata.google.internal',
  ])('%s is refused before the proxy hears of it', async (host) => {
    for (const start of [httpProxy, socksProxy]) {
      const proxy = await start();
      const request = { url: new URL(`http://${host}:${port}/`), method: 'GET', headers: [] };
      const result = await newHop().send({ ...request, proxy: parseProxy(proxy.url) });
      expect(result).toMatchObject({ code: 'address_refused' });
      expect([proxy.targets, connections]).toEqual([[], 0]);
      await proxy.close();
    }
  });
});
