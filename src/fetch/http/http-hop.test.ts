import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { rawServer } from '../../../test/fixtures/raw-server.ts';
import { closedSockets } from '../../platform/sockets.ts';
import { parseHostPattern } from '../guard/host-pattern.ts';
import type { HopAnswer, HopRequest, HopResult } from './hop-result.ts';
import type { HttpHopOptions } from './http-hop.ts';
import { HttpHop } from './http-hop.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function newHop(options: HttpHopOptions = {}): HttpHop {
  const hop = new HttpHop({ allow: [parseHostPattern('127.0.0.1')], ...options });
  cleanups.push(() => hop.close());
  return hop;
}

async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function raw(...parameters: Parameters<typeof rawServer>): ReturnType<typeof rawServer> {
  const server = await rawServer(...parameters);
  cleanups.push(() => server.close());
  return server;
}

const get = (url: string, rest: Partial<HopRequest> = {}): HopRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: [],
  ...rest,
});

function answer(result: HopResult): HopAnswer {
  if (result.kind !== 'answer') throw new Error(`no answer: ${JSON.stringify(result)}`);
  return result;
}

function memory(result: HopResult): { encoded: Buffer; decoded: Buffer } {
  const { body } = answer(result);
  if (body.kind !== 'memory') throw new Error('not in memory');
  return { encoded: Buffer.from(body.encoded), decoded: Buffer.from(body.decoded) };
}

describe('HttpHop', () => {
  it('returns status, text, address and the headers in their order and case', async () => {
    const server = await raw((socket) =>
      socket.write(
        'HTTP/1.1 201 Made It\r\nX-One: 1\r\nx-two: 2\r\nX-ONE: \xe9\r\nContent-Length: 2\r\n\r\nhi',
        'latin1',
      ),
    );
    const result = answer(await newHop().send(get(server.origin)));
    expect(result).toMatchObject({ status: 201, statusText: 'Made It', remoteAddress: '127.0.0.1' });
    expect(result.headers).toEqual([
      ['X-One', '1'],
      ['x-two', '2'],
      ['X-ONE', 'é'],
      ['Content-Length', '2'],
    ]);
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['POST', Buffer.from('a=1')],
    ['POST', Buffer.alloc(0)],
  ] as const)('records exactly the header fields that went over the wire (%s)', async (method, body) => {
    const server = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const request = {
      method,
      headers: [
        ['User-Agent', 'curlew'],
        ['X-Case', 'Kept'],
      ] as const,
    };
    const sent = await newHop().send(get(`${server.origin}/a?b=1`, { ...request, ...(body && { body }) }));
    const recorded = answer(sent).requestHeaders.map(([name, value]) => `${name}: ${value}\r\n`);
    expect(server.received()).toBe(`${method} /a?b=1 HTTP/1.1\r\n${recorded.join('')}\r\n${body ?? ''}`);
  });

  it('sets host, connection and length itself, whatever the caller says', async () => {
    const server = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const headers = [
      ['Host', 'other.example'],
      ['Connection', 'upgrade'],
      ['Content-Length', '99'],
      ['X-Own', 'kept'],
    ] as const;
    const sent = answer(await newHop().send(get(server.origin, { headers })));
    expect(sent.requestHeaders.map(([name]) => name)).toEqual(['host', 'connection', 'X-Own', 'Accept-Encoding']);
    expect(server.received()).toContain(`host: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\nX-Own: kept\r\n`);
  });

  it('waits without end for as long as the caller wants', async () => {
    const server = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const timeouts = { headersMs: 0, idleMs: 0, totalMs: Number.POSITIVE_INFINITY };
    expect(await newHop().send(get(server.origin, { timeouts }))).toMatchObject({ status: 200 });
  });

  it('tells the address of a connection that was closed with the answer', async () => {
    const server = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx'));
    expect(await newHop().send(get(server.origin))).toMatchObject({ status: 200, remoteAddress: '127.0.0.1' });
  });

  it('uses one connection for requests that follow each other', async () => {
    const server = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'));
    const hop = newHop();
    for (let index = 0; index < 5; index += 1) answer(await hop.send(get(server.origin)));
    expect(server.connections()).toBe(1);
  });

  it('opens no more connections to an origin than allowed, and serves all', async () => {
    const server = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'));
    const hop = newHop({ socketsPerOrigin: 2 });
    const results = await Promise.all(Array.from({ length: 20 }, () => hop.send(get(server.origin))));
    expect(results.every(({ kind }) => kind === 'answer')).toBe(true);
    expect(server.connections()).toBe(2);
  });

  it('gives encoded and decoded as the same object when there is no coding', async () => {
    const origin = await httpServer((_, outgoing) => outgoing.end('plain'));
    const { body } = answer(await newHop().send(get(origin)));
    if (body.kind !== 'memory') throw new Error('not in memory');
    expect(body.encoded).toBe(body.decoded);
    expect(Buffer.from(body.decoded).toString()).toBe('plain');
  });

  const page = Buffer.from('<p>page</p>'.repeat(1000));
  it.each([
    ['gzip', zlib.gzipSync(page)],
    ['x-gzip', zlib.gzipSync(page)],
    ['br', zlib.brotliCompressSync(page)],
    ['zstd', zlib.zstdCompressSync(page)],
    ['deflate', zlib.deflateSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(page))],
    ['identity', page],
    ['utf-8', page],
  ])('takes %s off and keeps what was received', async (coding, bytes) => {
    const origin = await httpServer((_, outgoing) => outgoing.setHeader('Content-Encoding', coding).end(bytes));
    const { encoded, decoded } = memory(await newHop().send(get(origin)));
    expect(encoded.equals(bytes)).toBe(true);
    expect(decoded.equals(page)).toBe(true);
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['deflate', zlib.deflateSync],
  ] as const)('takes %s off a body of megabytes', async (coding, compress) => {
    const large = Buffer.alloc(5_000_000, 'Lorem ipsum dolor sit amet ');
    const origin = await httpServer((_, outgoing) =>
      outgoing.setHeader('Content-Encoding', coding).end(compress(large)),
    );
    expect(memory(await newHop().send(get(origin))).decoded.equals(large)).toBe(true);
  });

  it('reads a gzip body of several members, as RFC 1952 allows', async () => {
    const bytes = Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')]);
    const origin = await httpServer((_, outgoing) => outgoing.setHeader('Content-Encoding', 'gzip').end(bytes));
    expect(memory(await newHop().send(get(origin))).decoded.toString()).toBe('one two');
  });

  it('takes an empty body for empty, whatever coding it claims', async () => {
    const origin = await httpServer((_, outgoing) => outgoing.setHeader('Content-Encoding', 'br').end());
    expect(memory(await newHop().send(get(origin))).decoded.length).toBe(0);
  });

  it('passes over informational answers', async () => {
    const server = await raw((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    );
    expect(memory(await newHop().send(get(server.origin))).decoded.toString()).toBe('ok');
  });

  it('accepts a part that was asked for', async () => {
    const server = await raw((socket) => socket.write('HTTP/1.1 206 Partial\r\nContent-Length: 2\r\n\r\nok'));
    const result = await newHop().send(get(server.origin, { headers: [['Range', 'bytes=0-1']] }));
    expect(answer(result).status).toBe(206);
  });

  it('does not follow redirects', async () => {
    const origin = await httpServer((_, outgoing) => outgoing.writeHead(302, { Location: '/x' }).end());
    expect(answer(await newHop().send(get(origin))).status).toBe(302);
  });

  describe('with a sink', () => {
    it('passes the decoded bytes on one chunk at a time', async () => {
      const file = Buffer.alloc(3_000_000, 'a file that is longer than any buffer on the way ');
      const origin = await httpServer((_, outgoing) =>
        outgoing.setHeader('Content-Encoding', 'gzip').end(zlib.gzipSync(file)),
      );
      const chunks: Uint8Array[] = [];
      let busy = false;
      const sink = {
        async write(chunk: Uint8Array) {
          expect(busy).toBe(false);
          busy = true;
          await new Promise((resolve) => setImmediate(resolve));
          chunks.push(chunk);
          busy = false;
        },
      };
      const result = answer(await newHop().send(get(origin, { sink })));
      expect(result.body).toMatchObject({ kind: 'streamed', decodedBytes: file.length });
      expect(Buffer.concat(chunks).equals(file)).toBe(true);
    });

    it('writes nothing and answers for an empty file', async () => {
      const origin = await httpServer((_, outgoing) => outgoing.setHeader('Content-Encoding', 'gzip').end());
      const sink = { write: () => Promise.reject(new Error('nothing to write')) };
      const result = answer(await newHop().send(get(origin, { sink })));
      expect(result.body).toEqual({ kind: 'streamed', encodedBytes: 0, decodedBytes: 0 });
    });

    it('keeps an error page out of it', async () => {
      const origin = await httpServer((_, outgoing) => outgoing.writeHead(404).end('no such file'));
      const sink = { write: () => Promise.reject(new Error('must not be called')) };
      expect(memory(await newHop().send(get(origin, { sink }))).decoded.toString()).toBe('no such file');
    });

    it('rejects with its error', async () => {
      const origin = await httpServer((_, outgoing) => outgoing.end('content'));
      const full = new Error('ENOSPC');
      const sending = newHop().send(get(origin, { sink: { write: () => Promise.reject(full) } }));
      await expect(sending).rejects.toBe(full);
    });

    it('holds the site back while it is busy', async () => {
      const length = 64 * 2 ** 20;
      let written = 0;
      const server = await raw((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
        const chunk = Buffer.alloc(2 ** 16);
        const more = () => {
          while (written < length) {
            written += chunk.length;
            if (!socket.write(chunk)) return;
          }
        };
        socket.on('drain', more);
        more();
      });
      const first = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const sink = {
        write: () => {
          first.resolve();
          return gate.promise;
        },
      };
      const sending = newHop().send(get(server.origin, { sink }));
      await first.promise;
      // The kernel's buffers fill up, and then the server stands still.
      let before = -1;
      while (written !== before) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(written).toBeLessThan(length / 2);
      gate.resolve();
      expect(answer(await sending).body).toMatchObject({ kind: 'streamed', decodedBytes: length });
    });
  });

  describe('when the signal fires', () => {
    it('does not send at all if it had fired before', async () => {
      const server = await raw();
      expect(await newHop().send(get(server.origin), AbortSignal.abort())).toEqual({ kind: 'aborted' });
      expect(server.connections()).toBe(0);
    });

    it('stops while the name is being looked up', async () => {
      const asked = Promise.withResolvers<void>();
      const sockets = {
        ...closedSockets,
        resolve: () => {
          asked.resolve();
          return new Promise<never>(() => {});
        },
      };
      const abort = new AbortController();
      const sending = newHop({ sockets }).send(get('http://court.example/'), abort.signal);
      await asked.promise;
      abort.abort();
      expect(await sending).toEqual({ kind: 'aborted' });
    });

    it('stops while it waits for a free connection', async () => {
      const server = await raw();
      const hop = newHop({ socketsPerOrigin: 1 });
      const abort = new AbortController();
      const first = hop.send(get(server.origin), abort.signal);
      const second = hop.send(get(server.origin), abort.signal);
      abort.abort();
      expect(await Promise.all([first, second])).toEqual([{ kind: 'aborted' }, { kind: 'aborted' }]);
    });

    it('stops while it waits for the head', async () => {
      const abort = new AbortController();
      const server = await raw(() => abort.abort());
      expect(await newHop().send(get(server.origin), abort.signal)).toEqual({ kind: 'aborted' });
    });

    it('stops in the middle of the body and drops the connection', async () => {
      const abort = new AbortController();
      const closed = Promise.withResolvers<void>();
      const server = await raw((socket) => {
        socket.on('close', () => closed.resolve());
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
      });
      const sink = {
        async write() {
          abort.abort();
        },
      };
      expect(await newHop().send(get(server.origin, { sink }), abort.signal)).toEqual({ kind: 'aborted' });
      await closed.promise;
    });

    it('leaves a connection usable for the requests behind the one given up', async () => {
      const heard = Promise.withResolvers<() => void>();
      let heads = 0;
      const server = await raw((socket) => {
        const serve = () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx');
        heads += 1;
        if (heads === 1) heard.resolve(serve);
        else serve();
      });
      const hop = newHop({ socketsPerOrigin: 1 });
      const abort = new AbortController();
      const first = hop.send(get(server.origin));
      const second = hop.send(get(server.origin), abort.signal);
      const third = hop.send(get(server.origin));
      const serve = await heard.promise;
      abort.abort();
      serve();
      expect((await Promise.all([first, second, third])).map(({ kind }) => kind)).toEqual([
        'answer',
        'aborted',
        'answer',
      ]);
      expect([heads, server.connections()]).toEqual([2, 1]);
    });
  });

  it('ends what is under way when it is closed, and closing twice is fine', async () => {
    const heard = Promise.withResolvers<void>();
    const server = await raw(() => heard.resolve());
    const hop = newHop();
    const sending = hop.send(get(server.origin));
    await heard.promise;
    await hop.close();
    await hop.close();
    expect(await sending).toEqual({ kind: 'aborted' });
    expect(await hop.send(get(server.origin))).toEqual({ kind: 'aborted' });
  });

  it.each([
    ['a header with a line break', { headers: [['X-Bad', 'a\r\nb']] as const }],
    ['a method that is no token', { method: 'GE T' }],
    ['another scheme', { url: new URL('ftp://127.0.0.1/') }],
  ])('rejects %s as an invalid request', async (_what, wrong) => {
    const server = await raw();
    await expect(newHop().send(get(server.origin, wrong))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(server.connections()).toBe(0);
  });

  it('rejects instead of connecting when the network is closed', async () => {
    const hop = newHop({ sockets: closedSockets });
    await expect(hop.send(get('http://court.example/'))).rejects.toMatchObject({ code: 'network_closed' });
    await expect(hop.send(get('http://127.0.0.1:9/'))).rejects.toMatchObject({ code: 'network_closed' });
  });
});
