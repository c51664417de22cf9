// Whatever bytes a server sends, in whatever pieces: a request ends in one result, the same for a page and a download; only
// what was whole counts as an answer; the next request gets its own answer; and nothing is left that would end the process
// (an error that nobody hears fails the whole file).

import { createCipheriv, hash } from 'node:crypto';
import type { Socket } from 'node:net';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import type { ContentCoding } from '../../src/fetch/http/decoder.ts';
import { DEFAULT_TIMEOUTS, type HopTimeouts } from '../../src/fetch/http/hop-options.ts';
import { HttpHop } from '../../src/fetch/http/http-hop.ts';
import { type RawServer, rawServer } from '../fixtures/raw-server.ts';

const ENCODE: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
};

/** An answer as it should be. */
interface Right {
  readonly status: number;
  readonly framing: 'length' | 'chunked' | 'close';
  /** The innermost first. */
  readonly codings: readonly ContentCoding[];
  readonly body: Buffer;
  /** How large chunks are, and pieces on the wire. */
  readonly pieceBytes: number;
}

/** What is done to its bytes, at a place given as a share of them. */
interface Damage {
  readonly kind: 'insert' | 'replace' | 'remove' | 'repeat' | 'cut';
  readonly at: number;
  readonly bytes: Buffer;
}

interface Said extends Right {
  readonly damages: readonly Damage[];
  readonly end: 'stays' | 'closes' | 'resets';
}

// The same in every run, so that a seed shows the same thing again.
const NOISE = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(3_000_000));
const bytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength }).map((array) => Buffer.from(array));
const telling = fc
  .constantFrom(
    '\r\n',
    '\r\n\r\n',
    '\n',
    ' ',
    ':',
    '0\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 100 \r\n\r\n',
    '\0',
  )
  .map((text) => Buffer.from(text));
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const right: fc.Arbitrary<Right> = fc.record({
  status: fc.constantFrom(200, 200, 200, 203, 404, 429, 500),
  framing: fc.constantFrom('length', 'chunked', 'close'),
  codings: fc.array(fc.constantFrom<ContentCoding>('gzip', 'br', 'zstd', 'deflate'), { maxLength: 2 }),
  body: fc.oneof(
    bytes(300),
    // Zeros may stand behind a member of gzip; many of them, in another coding, are few bytes.
    fc.nat(200_000).map((size) => Buffer.alloc(size)),
    fc.nat(150_000).map((size) => Buffer.concat([zlib.gzipSync('page'), Buffer.alloc(size)])),
    // Nothing makes these smaller: they are gathered as they come.
    fc.nat(NOISE.length).map((size) => NOISE.subarray(0, size)),
  ),
  pieceBytes: fc.constantFrom(1, 7, 64, 1_000, 100_000),
});
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'remove', 'repeat', 'cut'),
  at: fc.oneof(share, fc.constantFrom(0.999_999)),
  bytes: fc.oneof(bytes(12), telling),
});
const said: fc.Arbitrary<Said> = fc
  .tuple(
    right,
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    fc.constantFrom<Said['end']>('stays', 'closes', 'closes', 'resets'),
  )
  .map(([answer, damages, end]) => ({ ...answer, damages, end }));

function bytesOf({ status, framing, codings, body, pieceBytes }: Right): Buffer {
  const encoded = codings.reduce<Uint8Array>((inner, coding) => ENCODE[coding](inner), body);
  const head = [`HTTP/1.1 ${status} OK`];
  if (codings.length > 0) head.push(`Content-Encoding: ${codings.join(', ')}`);
  if (framing === 'length') head.push(`Content-Length: ${encoded.length}`);
  if (framing === 'chunked') head.push('Transfer-Encoding: chunked');
  if (framing === 'close') head.push('Connection: close');
  const content = framing === 'chunked' ? inChunks(encoded, Math.max(pieceBytes, encoded.length / 500)) : encoded;
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

function inChunks(body: Uint8Array, size: number): Buffer {
  const chunks: (Uint8Array | Buffer)[] = [];
  for (let at = 0; at < body.length; at += Math.ceil(size)) {
    const chunk = body.subarray(at, at + Math.ceil(size));
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

function damaged(whole: Buffer, { kind, at: place, bytes }: Damage): Buffer {
  const at = Math.floor(whole.length * place);
  const [before, after] = [whole.subarray(0, at), whole.subarray(at)];
  switch (kind) {
    case 'insert':
      return Buffer.concat([before, bytes, after]);
    case 'replace':
      return Buffer.concat([before, bytes, after.subarray(bytes.length)]);
    case 'remove':
      return Buffer.concat([before, after.subarray(bytes.length)]);
    case 'repeat':
      return Buffer.concat([before, after, after]);
    case 'cut':
      return before;
  }
}

/** In pieces, each in a segment of its own where it can be; then the end. */
async function say(socket: Socket, whole: Buffer, pieceBytes: number, end: Said['end']): Promise<void> {
  socket.setNoDelay(true);
  const size = Math.max(pieceBytes, Math.ceil(whole.length / 40));
  for (let at = 0; at < whole.length && !socket.destroyed; at += size) {
    socket.write(whole.subarray(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === 'closes') socket.end();
  if (end === 'resets') socket.resetAndDestroy();
}

const OWN = 'its own answer';
const MOST_BYTES = 4_000_000;
let server: RawServer;
let hop: HttpHop;
let answers: readonly Said[] = [];

/** What the server says to a request for `/3`. */
function bytesFor(said: Said): Buffer {
  return said.damages.reduce(damaged, bytesOf(said));
}

beforeAll(async () => {
  server = await rawServer((socket, head) => {
    const asked = answers[Number(/^GET \/(\d+)/.exec(head)?.[1])];
    if (asked === undefined) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${OWN.length}\r\n\r\n${OWN}`);
    else void say(socket, bytesFor(asked), asked.pieceBytes, asked.end);
  });
  hop = new HttpHop({
    allow: [parseHostPattern('127.0.0.1')],
    limits: { maxEncodedBytes: MOST_BYTES, maxDecodedBytes: MOST_BYTES, maxDownloadBytes: MOST_BYTES },
  });
});
afterAll(async () => {
  await hop.close();
  await server.close();
});

/** What comes of a request: status and body, or what the failure is called. */
async function ask(path: string, way: 'page' | 'download', timeouts = DEFAULT_TIMEOUTS): Promise<string> {
  const pieces: Uint8Array[] = [];
  const sink = { write: async (piece: Uint8Array) => void pieces.push(Buffer.from(piece)) };
  const request = { url: new URL(path, server.origin), method: 'GET', headers: [], timeouts };
  const result = await hop.send(way === 'page' ? request : { ...request, sink });
  if (result.kind !== 'answer') return result.kind === 'failure' ? result.code : result.kind;
  const { body, status } = result;
  return inWords(status, body.kind === 'memory' ? body.decoded : Buffer.concat(pieces));
}

function inWords(status: number, body: Uint8Array): string {
  return `${status} ${hash('sha256', body)}`;
}

/** All of them at once, each in both ways: connections are shared and used again. */
function askForAll(said: readonly Said[], timeouts?: HopTimeouts): Promise<readonly (readonly [string, string])[]> {
  answers = said;
  const both = (path: string) => Promise.all([ask(path, 'page', timeouts), ask(path, 'download', timeouts)]);
  return Promise.all(said.map((_, index) => both(`/${index}`)));
}

const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 32, size: 'max' });

it('an answer that is right is taken as it was meant, however it is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(several(right), async (all) => {
      const got = await askForAll(
        all.map((one) => ({ ...one, damages: [], end: one.framing === 'close' ? 'closes' : 'stays' })),
      );
      const expected = all.map(({ status, body }) => inWords(status, body));
      expect(got).toEqual(expected.map((words) => [words, words]));
    }),
    { numRuns: 20 },
  );
}, 60_000);

it('one that is not ends in one result, and the next request gets its own', async () => {
  await fc.assert(
    fc.asyncProperty(several(said), async (all) => {
      const results = await askForAll(all, { headersMs: 50, idleMs: 50, totalMs: 10_000 });
      for (const result of results.flat()) expect(result).not.toBe('aborted');
      // A connection that ended while nobody used it may cost the next request its answer, but not give it another.
      const next = await Promise.all(all.map(() => ask('/own', 'page')));
      for (const result of next) expect([inWords(200, Buffer.from(OWN)), 'reset_before_answer']).toContain(result);
    }),
    { numRuns: 12 },
  );
}, 60_000);

it('and is whole as a page only where it is so as a download', async () => {
  // All at once, and with an end: what has come is the same both times.
  const atOnce = said
    .map((one): Said => ({ ...one, pieceBytes: 10 ** 6, end: 'closes' }))
    .filter((one) => bytesFor(one).length < 20_000);
  await fc.assert(
    fc.asyncProperty(several(atOnce), async (all) => {
      const isWhole = (result: string) => /^\d/.test(result);
      for (const [page, download] of await askForAll(all)) {
        if (isWhole(page) || isWhole(download)) expect(download).toBe(page);
      }
    }),
    { numRuns: 20 },
  );
}, 60_000);
