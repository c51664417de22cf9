// Every hostile answer ends in the right outcome, in bounded time, with bounded memory. The servers are real sockets that
// say exactly what each test gives them.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Classified, classify } from '../../src/fetch/classify.ts';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import type { HopResult } from '../../src/fetch/http/hop-result.ts';
import { HttpHop, type HttpHopOptions } from '../../src/fetch/http/http-hop.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { measuredSockets } from '../fixtures/measured-sockets.ts';
import { type RawServer, type RawServerOptions, rawServer, writeForever } from '../fixtures/raw-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function serve(onHead: (socket: Socket, head: string) => void, options?: RawServerOptions): Promise<RawServer> {
  const server = await rawServer(onHead, options);
  open.push(server);
  return server;
}

function newHop(options: HttpHopOptions = {}): HttpHop {
  const allow = [parseHostPattern('127.0.0.1'), parseHostPattern('localhost')];
  const hop = new HttpHop({ allow, ...options });
  open.push(hop);
  return hop;
}

/** What the failure is called, what it means, and whether another try is worth it. */
function verdict(result: HopResult): string {
  if (result.kind === 'aborted') return 'aborted';
  const meaning: Classified = classify(result, { now: 0, conditional: false, retryAfter: () => 5000 });
  const code = result.kind === 'failure' ? result.code : result.status;
  const more = meaning.kind === 'url_specific' ? ` ${meaning.retriable ? 'retriable' : 'permanent'}` : '';
  return `${code}: ${meaning.kind}${more}`;
}

async function ask(server: RawServer, options: HttpHopOptions = {}, path = '/'): Promise<string> {
  return verdict(await newHop(options).send({ url: new URL(path, server.origin), method: 'GET', headers: [] }));
}

/** One short piece after the other until the reader goes away. */
function drip(socket: Socket, pieces: () => string, everyMs: number): void {
  const timer = setInterval(() => socket.write(pieces()), everyMs);
  socket.on('close', () => clearInterval(timer));
}

describe('a server that is slow', () => {
  it('is given up when it accepts and then is silent', async () => {
    const server = await serve(() => {});
    expect(await ask(server, { timeouts: { headersMs: 200 } })).toBe('headers_timeout: site_wide');
  });

  it('is given up when its headers only trickle in', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      drip(socket, () => 'x', 20);
    });
    expect(await ask(server, { timeouts: { headersMs: 200 } })).toBe('headers_timeout: site_wide');
  });

  it('is given up when it keeps announcing an answer', async () => {
    const server = await serve((socket) => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n', 1));
    expect(await ask(server)).toBe('protocol: url_specific retriable');
  });

  it('is given up when it announces an answer now and then, without giving it', async () => {
    const server = await serve((socket) => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n', 50));
    expect(await ask(server, { timeouts: { headersMs: 400, totalMs: 3_000 } })).toBe('headers_timeout: site_wide');
  });

  it('is given up when it falls silent in the body', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'));
    expect(await ask(server, { timeouts: { idleMs: 200 } })).toBe('idle_timeout: url_specific retriable');
  });

  it('is given up when its body only drips, however regularly', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      drip(socket, () => 'x', 20);
    });
    expect(await ask(server, { timeouts: { totalMs: 400 } })).toBe('total_timeout: url_specific retriable');
  });

  it('is given up in a download that drips', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      drip(socket, () => 'x', 20);
    });
    const request = { url: new URL(server.origin), method: 'GET', headers: [], sink: { write: async () => {} } };
    const result = await newHop({ timeouts: { totalMs: 400 } }).send(request);
    expect(verdict(result)).toBe('total_timeout: url_specific retriable');
  });

  it('has more than the total time for a download that comes at a fair rate', async () => {
    const piece = 'x'.repeat(16 * 1024);
    // Each piece is sent after 50 ms, by a clock that a slow machine does not hurry on.
    let sent = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => 50 * sent,
      sleep: (ms, signal) => systemClock.sleep(ms, signal),
    };
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${8 * piece.length}\r\n\r\n`);
      const next = () => {
        if (sent === 8) return '';
        sent++;
        return piece;
      };
      drip(socket, next, 50);
    });
    const request = { url: new URL(server.origin), method: 'GET', headers: [], sink: { write: async () => {} } };
    expect(verdict(await newHop({ clock, timeouts: { totalMs: 200 } }).send(request))).toBe('200: ok');
  });

  it('is given up when nothing answers the connection', async () => {
    const sockets = {
      resolve: () => new Promise<never>(() => {}),
      connect: () => {
        throw new Error('not reached');
      },
    };
    const hop = newHop({ sockets, connectMs: 100 });
    const result = await hop.send({ url: new URL('http://court.example/'), method: 'GET', headers: [] });
    expect(verdict(result)).toBe('connect_timeout: site_wide');
  });
});

describe('a connection that breaks', () => {
  const body = 'hello, this is the body';
  const whole: Readonly<Record<string, string>> = {
    'with a length': `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'in chunks': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    'with a length, to be closed': `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'in chunks, to be closed': `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    'until it closes': `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`,
    'until it closes, with a coding that is none': `HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n${body}`,
    'until it closes, with an empty coding': `HTTP/1.1 200 OK\r\nTransfer-Encoding: \r\n\r\n${body}`,
  };
  const untilClosed = (framing: string) => framing.startsWith('until it closes');
  const expected = /^(reset_before_answer: site_wide|body_cut_short: url_specific retriable)$/;

  it.each(Object.entries(whole))('by a reset at any byte never gives an answer (%s)', async (_framing, text) => {
    const hop = newHop();
    const seen = new Set<string>();
    // Up to the whole of it: then only a body that ends with the connection must not pass.
    const last = text.includes('Length') || text.includes('chunked') ? text.length - 1 : text.length;
    for (let k = 0; k <= last; k += 1) {
      const server = await serve((socket) => {
        socket.write(text.slice(0, k), () => socket.resetAndDestroy());
      });
      const result = verdict(await hop.send({ url: new URL(server.origin), method: 'GET', headers: [] }));
      expect(result, `reset at byte ${k}`).toMatch(expected);
      seen.add(result);
    }
    expect(seen.size).toBeGreaterThanOrEqual(1);
  });

  const framed = Object.entries(whole).filter(([framing]) => !untilClosed(framing));
  it.each(framed)('by a close at any byte never gives an answer, except at the end (%s)', async (_framing, text) => {
    const hop = newHop();
    for (let k = 0; k <= text.length; k += 1) {
      const server = await serve((socket) => socket.end(text.slice(0, k)));
      const result = verdict(await hop.send({ url: new URL(server.origin), method: 'GET', headers: [] }));
      if (k === text.length) expect(result).toBe('200: ok');
      else expect(result, `closed at byte ${k}`).toMatch(expected);
    }
  });

  it.each(Object.entries(whole))('by a reset right behind a whole answer (%s)', async (framing, text) => {
    const server = await serve((socket) => socket.write(text));
    const connect: Sockets['connect'] = (...to) => {
      const socket = systemSockets.connect(...to);
      // As soon as the last byte has arrived, and not before.
      const reset = () => {
        if (socket.bytesRead < text.length) setImmediate(reset);
        else socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
      };
      reset();
      return socket;
    };
    const result = await ask(server, { sockets: { ...systemSockets, connect } });
    expect(result).toBe(untilClosed(framing) ? 'body_cut_short: url_specific retriable' : '200: ok');
  });

  it('before the first byte is the trouble of the whole site', async () => {
    const server = await serve((socket) => socket.destroy());
    expect(await ask(server)).toBe('reset_before_answer: site_wide');
  });

  it('or is refused is the trouble of the whole site', async () => {
    const server = await rawServer();
    await server.close();
    expect(await ask(server)).toBe('connect_refused: site_wide');
  });
});

describe('an answer that lies', () => {
  const PROTOCOL = 'protocol: url_specific retriable';
  const answers: readonly (readonly [string, string, string])[] = [
    ['a length above the body', 'Content-Length: 20\r\n\r\nhello', 'body_cut_short: url_specific retriable'],
    ['a length below the body', 'Content-Length: 2\r\n\r\nhello', 'length_mismatch: url_specific retriable'],
    [
      'a length below the body, closing',
      'Connection: close\r\nContent-Length: 2\r\n\r\nhello',
      'length_mismatch: url_specific retriable',
    ],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello', 'protocol: url_specific retriable'],
    ['a negative length', 'Content-Length: -1\r\n\r\nhello', 'protocol: url_specific retriable'],
    [
      'a length and chunks at once',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      'protocol: url_specific retriable',
    ],
    [
      'garbage for chunks',
      'Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n',
      'protocol: url_specific retriable',
    ],
    [
      'a chunk longer than it says',
      'Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n',
      'protocol: url_specific retriable',
    ],
    [
      'garbage behind the last chunk',
      'Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nmore',
      'length_mismatch: url_specific retriable',
    ],
    ['a transfer coding besides chunks', 'Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n', PROTOCOL],
    ['chunks of chunks', 'Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n', PROTOCOL],
    [
      'chunks of chunks, in two fields',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      PROTOCOL,
    ],
    ['a transfer coding until it closes', 'Transfer-Encoding: gzip\r\n\r\nhello', PROTOCOL],
    ['a header line without a colon', 'this is no header\r\n\r\n', 'protocol: url_specific retriable'],
  ];
  it.each(answers)('about its framing is no answer: %s', async (_what, rest, outcome) => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    expect(await ask(server)).toBe(outcome);
  });

  it('is no answer when it is not HTTP at all', async () => {
    const server = await serve((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await ask(server)).toBe('protocol: url_specific retriable');
  });

  it.each(['000', '099'])('is no answer when its status is %s', async (status) => {
    const server = await serve((socket) => socket.write(`HTTP/1.1 ${status} What\r\nContent-Length: 2\r\n\r\nok`));
    expect(await ask(server)).toBe(PROTOCOL);
  });

  // RFC 9112 §2.2: a blank line is no part of any message.
  it('is an answer all the same when a blank line follows it', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\r\n'));
    expect(await ask(server)).toBe('200: ok');
  });

  it('does not become the answer to the next request', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('GET /next')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext');
      else socket.write('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled');
    });
    const hop = newHop({ socketsPerOrigin: 1 });
    const first = await hop.send({ url: new URL('/first', server.origin), method: 'GET', headers: [] });
    const next = await hop.send({ url: new URL('/next', server.origin), method: 'GET', headers: [] });
    expect([verdict(first), verdict(next)]).toEqual(['204: ok', '200: ok']);
    expect(next.kind === 'answer' && next.body.kind === 'memory' && Buffer.from(next.body.decoded).toString()).toBe(
      'next',
    );
  });

  it.each([
    ['204 with a body', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody', '204: ok'],
    ['204 with a body but no length', 'GET', 'HTTP/1.1 204 No Content\r\n\r\nbody', '204: ok'],
    ['the answer to HEAD with a body', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody', '200: ok'],
    [
      '304 to a first request, with a body',
      'GET',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody',
      '304: url_specific retriable',
    ],
  ])('gets an empty body where none may be: %s', async (_what, method, text, outcome) => {
    const server = await serve((socket) => socket.write(text));
    const result = await newHop().send({ url: new URL(server.origin), method, headers: [] });
    expect(verdict(result)).toBe(outcome);
    expect(result.kind === 'answer' && result.body.kind === 'memory' && result.body.decoded.length).toBe(0);
  });

  it('by sending a part that nobody asked for is no answer', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\npart'),
    );
    expect(await ask(server)).toBe('unasked_partial: url_specific retriable');
  });

  it('by sending 304 to a first request is no answer', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 304 Not Modified\r\n\r\n'));
    expect(await ask(server)).toBe('304: url_specific retriable');
  });

  it('still holds the host back when it is a 429 whose body is broken', async () => {
    const server = await serve((socket) =>
      socket.end('HTTP/1.1 429 Slow\r\nRetry-After: 5\r\nContent-Length: 9\r\n\r\n'),
    );
    expect(await ask(server)).toBe('body_cut_short: rate_limited');
  });
});

describe('an answer that is announced', () => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
  const announced: readonly (readonly [string, string])[] = [
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['100 with fields', 'HTTP/1.1 100 Continue\r\nX-Y: HTTP/1.1 100\r\n\r\n'],
    ['100 twice', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    ['100 behind a blank line', '\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    ['103 and 100', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ];
  it.each(announced)('by %s although nobody asked is an answer (RFC 9110 §15.2)', async (_what, before) => {
    const server = await serve((socket) => socket.write(before + whole));
    expect(await ask(server)).toBe('200: ok');
  });

  it('by 100 is one byte by byte too, and on a connection that has served before', async () => {
    const server = await serve(async (socket) => {
      for (const byte of `HTTP/1.1 100 Continue\r\n\r\n${whole}`) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const hop = newHop({ socketsPerOrigin: 1 });
    const request = { url: new URL(server.origin), method: 'GET', headers: [] };
    for (let time = 0; time < 3; time += 1) expect(verdict(await hop.send(request))).toBe('200: ok');
    expect(server.connections()).toBe(1);
  });

  it('keeps what its body says of 100', async () => {
    const body = 'HTTP/1.1 100 Continue\r\n\r\n';
    const head = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
    const server = await serve((socket) => socket.write(head + body));
    const result = await newHop().send({ url: new URL(server.origin), method: 'GET', headers: [] });
    expect(
      result.kind === 'answer' && result.body.kind === 'memory' && Buffer.from(result.body.decoded).toString(),
    ).toBe(body);
  });

  it('by 100 and never given is no answer', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'));
    expect(await ask(server)).toBe('reset_before_answer: site_wide');
  });
});

describe('a head that is too large', () => {
  it('is refused with a header of 1 MB', async () => {
    const server = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Big: ${'x'.repeat(2 ** 20)}\r\n\r\n`));
    expect(await ask(server)).toBe('headers_too_large: url_specific retriable');
  });

  it.each([
    ['short', 'a:b\r\n'],
    ['longer', 'X-Header-Name: value\r\n'],
  ])('is refused with 10,000 %s headers', async (_size, line) => {
    const server = await serve((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(10_000)}Content-Length: 0\r\n\r\n`),
    );
    expect(await ask(server)).toBe('headers_too_large: url_specific retriable');
  });

  it('is refused when it never ends', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeForever(socket, Buffer.from('X-More: and more\r\n'.repeat(100)));
    });
    expect(await ask(server)).toBe('headers_too_large: url_specific retriable');
  });
});

describe('an answer that goes on and on beside its fields and its body', () => {
  const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
  const tls = { key: fixture('good.key'), cert: fixture('good.pem') };
  const extraCa = [fixture('root.pem')];
  // A server that is caught too late is caught by these.
  const timeouts = { headersMs: 1500, idleMs: 1500, totalMs: 1500 };
  // 64 KiB for the head, 64 KiB to spare, and what the socket had read ahead.
  const mostBytes = 512 * 1024;

  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const head = 'headers_too_large: url_specific retriable';
  const body = 'encoded_too_large: url_specific retriable';
  const endless: readonly (readonly [what: string, begin: string, more: string, outcome: string])[] = [
    ['its reason phrase', 'HTTP/1.1 200 ', 'a', head],
    ['the blank lines before it', '', '\r\n', head],
    ['the space before a value', 'HTTP/1.1 200 OK\r\nX-Empty:', ' ', head],
    ['the reason phrase of an informational answer', 'HTTP/1.1 102 ', 'a', head],
    ['informational answers', '', 'HTTP/1.1 102 Processing\r\n\r\n', 'protocol: url_specific retriable'],
    ['informational answers with fields', '', `HTTP/1.1 103 Early\r\nLink: ${'x'.repeat(30_000)}\r\n\r\n`, head],
    ['the extension of its first chunk', `${chunked}1;`, 'a', body],
    ['the extension of a later chunk', `${chunked}5\r\nhello\r\n1;`, 'a', body],
    ['the extension of its last chunk', `${chunked}5\r\nhello\r\n0;`, 'a', body],
    ['the size of a chunk', chunked, '0', body],
    ['extensions, one for each chunk', chunked, `1;${'a'.repeat(1000)}\r\nx\r\n`, body],
    ['its trailer', `${chunked}5\r\nhello\r\n0\r\n`, 'X-More: and more\r\n', body],
    ['its trailer of tiny fields', `${chunked}5\r\nhello\r\n0\r\n`, 'a:\r\n', body],
  ];

  const wires = [
    ['http', {}],
    ['https', { tls }],
  ] as const;
  describe.each(wires)('over %s', (_scheme, options) => {
    it.each(endless)('is given up soon: %s', async (_what, begin, more, outcome) => {
      const server = await serve((socket) => {
        socket.write(begin);
        writeForever(socket, Buffer.from(more.repeat(Math.ceil(2 ** 16 / more.length))));
      }, options);
      const { sockets, bytesRead } = measuredSockets();
      expect(await ask(server, { sockets, timeouts, extraCa })).toBe(outcome);
      expect(bytesRead()).toBeLessThan(mostBytes);
    });
  });

  it('is given up soon in a download, whose sink has the wire stop and go', async () => {
    const server = await serve((socket) => {
      socket.write(`${chunked}5\r\nhello\r\n5\r\nworld\r\n1;`);
      writeForever(socket, Buffer.alloc(2 ** 16, 'a'));
    });
    const { sockets, bytesRead } = measuredSockets();
    const sink = { write: () => new Promise<void>((resolve) => setImmediate(resolve)) };
    const request = { url: new URL(server.origin), method: 'GET', headers: [], sink };
    expect(verdict(await newHop({ sockets, timeouts }).send(request))).toBe(body);
    expect(bytesRead()).toBeLessThan(mostBytes);
  });

  it('is given up soon on a connection that has served before', async () => {
    const server = await serve((socket, request) => {
      if (request.startsWith('GET /good')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else writeForever(socket, Buffer.from(`HTTP/1.1 200 ${'a'.repeat(2 ** 16)}`));
    });
    const { sockets, bytesRead } = measuredSockets();
    const hop = newHop({ sockets, timeouts, socketsPerOrigin: 1 });
    const get = (path: string) => hop.send({ url: new URL(path, server.origin), method: 'GET', headers: [] });
    expect([verdict(await get('/good')), verdict(await get('/endless'))]).toEqual(['200: ok', head]);
    expect(server.connections()).toBe(1);
    expect(bytesRead()).toBeLessThan(mostBytes);
    expect(verdict(await get('/good'))).toBe('200: ok');
  });

  it('costs its connection when the answer was over, and no other request', async () => {
    const served = Promise.withResolvers<Socket>();
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      served.resolve(socket);
    });
    const { sockets, bytesRead } = measuredSockets();
    const hop = newHop({ sockets, timeouts, socketsPerOrigin: 1 });
    const request = { url: new URL(server.origin), method: 'GET', headers: [] };
    expect(verdict(await hop.send(request))).toBe('200: ok');
    const socket = await served.promise;
    const closed = new Promise((resolve) => socket.on('close', resolve));
    writeForever(socket, Buffer.from('\r\n'.repeat(2 ** 15)));
    await closed;
    expect(bytesRead()).toBeLessThan(mostBytes);
    expect(verdict(await hop.send(request))).toBe('200: ok');
    expect(server.connections()).toBe(2);
  });

  it('is not one of many small chunks', async () => {
    const server = await serve((socket) => socket.write(`${chunked}${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`));
    const result = await newHop().send({ url: new URL(server.origin), method: 'GET', headers: [] });
    expect(verdict(result)).toBe('200: ok');
    expect(result.kind === 'answer' && result.body.kind === 'memory' && result.body.decoded.length).toBe(20_000);
  });

  it('is not one of many small chunks into a slow sink', async () => {
    const server = await serve((socket) => socket.write(`${chunked}${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`));
    let bytes = 0;
    const sink = {
      async write(chunk: Uint8Array) {
        bytes += chunk.length;
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const result = await newHop().send({ url: new URL(server.origin), method: 'GET', headers: [], sink });
    expect([verdict(result), bytes]).toEqual(['200: ok', 20_000]);
  });

  it('is not one after the other over one connection, however much they are together', async () => {
    const field = `X-Long: ${'x'.repeat(60_000)}\r\n`;
    const server = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\n${field}Content-Length: 2\r\n\r\nok`));
    const hop = newHop({ socketsPerOrigin: 1 });
    const request = { url: new URL(server.origin), method: 'GET', headers: [] };
    for (let index = 0; index < 10; index += 1) expect(verdict(await hop.send(request))).toBe('200: ok');
    expect(server.connections()).toBe(1);
  });
});

describe('a body that is too large', () => {
  const MEBIBYTE = 2 ** 20;
  const GIGABYTE = 10 ** 9;
  const zeros = Buffer.alloc(128 * MEBIBYTE);
  const bombs: Readonly<Record<string, Buffer>> = {
    gzip: zlib.gzipSync(zeros, { level: 9 }),
    br: zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: zlib.zstdCompressSync(zeros),
    deflate: zlib.deflateSync(zeros),
    // 128 MiB twice over: the outer layer shrinks the inner one once more.
    'gzip, gzip': zlib.gzipSync(zlib.gzipSync(Buffer.concat([zeros, zeros]), { level: 9 })),
  };

  const server = rawServer((socket, head) => {
    const path = decodeURIComponent(/^GET (\S+)/.exec(head)?.[1] ?? '');
    const bomb = bombs[path.slice('/bomb/'.length)];
    if (path === '/warm-up') {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    } else if (bomb !== undefined) {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${path.slice(6)}\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    } else if (path === '/crumbs') {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(`${'1\r\nx\r\n'.repeat(4 * MEBIBYTE)}0\r\n\r\n`);
    } else {
      socket.write(`HTTP/1.1 200 OK\r\n${path === '/length' ? `Content-Length: ${GIGABYTE}\r\n` : ''}\r\n`);
      writeForever(socket, Buffer.alloc(2 ** 16, 'x'));
    }
  });
  afterAll(async () => (await server).close());

  async function probe(path: string, ...rest: string[]): Promise<{ code: string; growthBytes: number }> {
    const script = new URL('./memory-probe.ts', import.meta.url).pathname;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [script, `${(await server).origin}${path}`, ...rest]);
    return JSON.parse(stdout);
  }

  const cap = 32 * MEBIBYTE;
  const allowance = 64 * 10 ** 6;

  it('begins with a bomb of about 130 KB', () => {
    expect(bombs.gzip?.length).toBeGreaterThan(120_000);
    expect(bombs.gzip?.length).toBeLessThan(140_000);
  });

  it.each(Object.keys(bombs))('is a %s bomb: given up at the cap, in bounded memory', async (coding) => {
    const { code, growthBytes } = await probe(`/bomb/${encodeURIComponent(coding)}`);
    expect(code).toBe('decoded_too_large');
    expect(growthBytes).toBeLessThan(cap + allowance);
  });

  it.each([
    ['with a length, before any of it is read', '/length'],
    ['without a length, at the cap', '/endless'],
  ])('is 1 GB %s: given up in bounded memory', async (_how, path) => {
    const { code, growthBytes } = await probe(path);
    expect(code).toBe('encoded_too_large');
    expect(growthBytes).toBeLessThan(cap + allowance);
  });

  it('or only looks small, 4 MiB in chunks of one byte: held in bounded memory', async () => {
    const { code, growthBytes } = await probe('/crumbs');
    expect(code).toBe('answer');
    expect(growthBytes).toBeLessThan(cap + allowance);
  });

  // Node frees the buffers of a stream in batches of some 64 MB; whatever the length of the file, it is no more than two.
  const streaming = 2 * allowance;

  it('is a download of 1 GB: given up at its cap, and nearly none of it held', async () => {
    const { code, growthBytes } = await probe('/endless', 'sink');
    expect(code).toBe('encoded_too_large');
    expect(growthBytes).toBeLessThan(streaming);
  });

  it('is a bomb among the downloads: passed on in small pieces', async () => {
    const { code, growthBytes } = await probe(`/bomb/${encodeURIComponent('gzip, gzip')}`, 'sink');
    expect(code).toBe('answer');
    expect(growthBytes).toBeLessThan(streaming);
  });

  it('means a retriable failure of its URL', async () => {
    expect(await ask(await server, {}, '/length')).toBe('encoded_too_large: url_specific retriable');
    expect(await ask(await server, {}, '/bomb/gzip')).toBe('decoded_too_large: url_specific retriable');
  });
});

describe('a content coding that is broken', () => {
  // The inner one is over long before the outer one fails. Zeros may stand behind it, so that it is read on.
  const padded = Buffer.concat([zlib.gzipSync('page'), Buffer.alloc(2 ** 21)]);
  const endedEarly = Buffer.concat([zlib.gzipSync(padded), Buffer.from('garbage')]);
  const page = Buffer.from('<p>page</p>'.repeat(100));
  const gzipped = zlib.gzipSync(page);
  const six = Array.from({ length: 6 }).reduce<Buffer>((bytes) => zlib.gzipSync(bytes), page);
  it.each([
    ['six codings on top of each other', 'gzip, gzip, gzip, gzip, gzip, gzip', six, 'too_many_encodings'],
    ['bytes that are no gzip', 'gzip', page, 'bad_encoding'],
    ['gzip cut short although the length is true', 'gzip', gzipped.subarray(0, -9), 'bad_encoding'],
    ['gzip with a wrong checksum', 'gzip', Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(8)]), 'bad_encoding'],
    ['gzip with garbage behind it', 'gzip', Buffer.concat([gzipped, page]), 'bad_encoding'],
    ['gzip with a zero and garbage behind it', 'gzip', Buffer.concat([gzipped, Buffer.alloc(1), page]), 'bad_encoding'],
    ['br with garbage behind it', 'br', Buffer.concat([zlib.brotliCompressSync(page), page]), 'bad_encoding'],
    ['zstd with garbage behind it', 'zstd', Buffer.concat([zlib.zstdCompressSync(page), page]), 'bad_encoding'],
    ['br cut short', 'br', zlib.brotliCompressSync(page).subarray(0, -3), 'bad_encoding'],
    ['zstd cut short', 'zstd', zlib.zstdCompressSync(page).subarray(0, -3), 'bad_encoding'],
    ['garbage behind a coding that holds another, which has ended', 'gzip, gzip', endedEarly, 'bad_encoding'],
    [
      'zstd with a window above 8 MiB (RFC 9659)',
      'zstd',
      zlib.zstdCompressSync(Buffer.alloc(20 * 2 ** 20), { params: { [zlib.constants.ZSTD_c_windowLog]: 25 } }),
      'bad_encoding',
    ],
  ])('is no answer: %s', async (_what, coding, bytes, code) => {
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes);
    });
    expect(await ask(server)).toBe(`${code}: url_specific retriable`);
    const sink = { write: async () => {} };
    const streamed = await newHop().send({ url: new URL(server.origin), method: 'GET', headers: [], sink });
    expect(verdict(streamed)).toBe(`${code}: url_specific retriable`);
  });
});

describe('a content coding that is odd', () => {
  const page = Buffer.from('<p>page</p>'.repeat(100));
  const gzipped = zlib.gzipSync(page);
  const zstd = zlib.zstdCompressSync(page.subarray(0, 550));
  it.each([
    ['deflate without its header inside gzip', 'deflate, gzip', zlib.gzipSync(zlib.deflateRawSync(page))],
    ['gzip inside deflate without its header', 'gzip, deflate', zlib.deflateRawSync(gzipped)],
    ['two frames of zstd', 'zstd', Buffer.concat([zstd, zstd])],
    [
      'gzip in two members',
      'gzip',
      Buffer.concat([page.subarray(0, 550), page.subarray(550)].map((half) => zlib.gzipSync(half))),
    ],
  ])('is taken off a page and a download alike: %s', async (_what, coding, bytes) => {
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes);
    });
    const request = { url: new URL(server.origin), method: 'GET', headers: [] };
    const result = await newHop().send(request);
    expect(result.kind === 'answer' && result.body.kind === 'memory' && Buffer.from(result.body.decoded)).toEqual(page);
    const chunks: Uint8Array[] = [];
    const sink = {
      async write(chunk: Uint8Array) {
        chunks.push(Buffer.from(chunk));
      },
    };
    expect(verdict(await newHop().send({ ...request, sink }))).toBe('200: ok');
    expect(Buffer.concat(chunks)).toEqual(page);
  });
});

describe('a TLS certificate', () => {
  const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
  const page = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const served = (name: string) =>
    serve((socket) => socket.write(page), { tls: { key: fixture(`${name}.key`), cert: fixture(`${name}.pem`) } });
  const extraCa = [fixture('root.pem')];

  it('that is good is accepted', async () => {
    expect(await ask(await served('good'), { extraCa })).toBe('200: ok');
  });

  it.each(['expired', 'wrong-host'])('that is %s is refused, and nothing is sent', async (name) => {
    const server = await served(name);
    expect(await ask(server, { extraCa })).toBe('tls: site_wide');
    expect(server.received()).toBe('');
  });

  it('of an unknown root is refused', async () => {
    expect(await ask(await served('good'))).toBe('tls: site_wide');
  });

  it('is missing where TLS is expected', async () => {
    const server = await serve((socket) => socket.write(page));
    const url = new URL(server.origin.replace('http:', 'https:'));
    const hop = newHop({ connectMs: 500 });
    expect(verdict(await hop.send({ url, method: 'GET', headers: [] }))).toMatch(/^(tls|connect_timeout): site_wide$/);
  });
});
