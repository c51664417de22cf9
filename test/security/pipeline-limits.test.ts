// The limits that are set reach the wire: a pipeline as it is made from settings, against servers that go beyond each.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/engine/settings.ts';
import { CONNECT_MS, DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../../src/fetch/http/hop-options.ts';
import { closing } from '../fixtures/closing.ts';
import { rawServer } from '../fixtures/raw-server.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';

async function serve(serveOne: (socket: Socket, path: string) => void): Promise<string> {
  const server = await rawServer((socket, head) => serveOne(socket, head.split(' ')[1] ?? ''));
  return closing(server).origin;
}

/** A site with a page of any size, `/2000`, as it is or, under `/gzip/2000`, packed. */
const anySize = () =>
  serve((socket, path) => {
    const body = Buffer.alloc(Number(path.split('/').at(-1)), 'x');
    const sent = path.startsWith('/gzip/') ? gzipSync(body) : body;
    const coding = path.startsWith('/gzip/') ? 'Content-Encoding: gzip\r\n' : '';
    socket.write(`HTTP/1.1 200 OK\r\n${coding}Content-Length: ${sent.length}\r\n\r\n`);
    socket.write(sent);
  });

const OFF = { robots: 'off' } as const;

describe('totalTimeoutMs', () => {
  it('ends an answer that never begins', async () => {
    const origin = await serve(() => {});
    const pipeline = await testPipeline({ ...OFF, totalTimeoutMs: 300 });
    expect(await pipeline.fetch(origin)).toMatchObject({
      kind: 'site_wide',
      failure: 'total_timeout',
      reason: 'not done after 300 ms, with 0 bytes received',
    });
  });

  it('ends an answer that never ends, however regularly more of it comes', async () => {
    const origin = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const pipeline = await testPipeline({ ...OFF, totalTimeoutMs: 2_000 });
    const outcome = await pipeline.fetch(origin);
    expect(outcome).toMatchObject({ kind: 'url_specific', status: 200, failure: 'total_timeout', retriable: true });
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(/^not done after 2000 ms, with \d+ bytes received$/),
    });
  });
});

describe('maxPageBytes and maxFileBytes', () => {
  const limited = () => testPipeline({ ...OFF, maxPageBytes: 1_000, maxFileBytes: 3_000 });
  const kept = (kind: string, size: number) =>
    kind === 'file' ? { kind, size } : { kind, decoded: expect.toSatisfy(({ length }) => length === size) };

  it.for([
    ['page', '/1000', 'memory', 1_000],
    ['page', '/gzip/1000', 'memory', 1_000],
    ['file', '/3000', 'file', 3_000],
    ['file', '/gzip/3000', 'file', 3_000],
  ] as const)('let a %s of %s pass', async ([saves, path, kind, size]) => {
    const outcome = await (await limited()).fetch((await anySize()) + path, { saves });
    expect(outcome).toMatchObject({ kind: 'ok', response: { body: kept(kind, size) } });
  });

  it.for([
    ['page', '/1001', 'encoded_too_large'],
    ['page', '/gzip/1001', 'decoded_too_large'],
    ['page', '/3000', 'encoded_too_large'],
    ['file', '/3001', 'encoded_too_large'],
    ['file', '/gzip/3001', 'decoded_too_large'],
  ] as const)('refuse a %s of %s', async ([saves, path, failure]) => {
    const pipeline = await limited();
    const outcome = await pipeline.fetch((await anySize()) + path, { saves });
    expect(outcome).toMatchObject({ kind: 'url_specific', failure, exchanges: [] });
    expect(await pipeline.partialFiles()).toEqual([]);
  });
});

it('what is not set is limited as the docs say', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm)].map(([, what = '', limit = '']) => [what, limit]),
  );
  const { totalTimeoutMs, maxPageBytes, maxFileBytes } = readSettings({});
  const seconds = (ms: number) => new RegExp(`^${ms / 1_000} s\\b`);
  expect(rows.get('connection, from the name to the last handshake')).toMatch(seconds(CONNECT_MS));
  expect(rows.get('head of an answer, after the request')).toMatch(seconds(DEFAULT_TIMEOUTS.headersMs));
  expect(rows.get('silence within a body')).toMatch(seconds(DEFAULT_TIMEOUTS.idleMs));
  expect(rows.get('whole exchange')).toMatch(seconds(totalTimeoutMs));
  expect(rows.get('page, as sent and decoded')).toMatch(new RegExp(`^${maxPageBytes / 2 ** 20} MiB each`));
  expect(rows.get('download')).toMatch(new RegExp(`^${maxFileBytes / 2 ** 30} GiB\\b`));
  // Whoever uses the transport without settings has the same.
  expect(DEFAULT_TIMEOUTS.totalMs).toBe(totalTimeoutMs);
  expect(DEFAULT_LIMITS).toEqual({
    maxEncodedBytes: maxPageBytes,
    maxDecodedBytes: maxPageBytes,
    maxDownloadBytes: maxFileBytes,
  });
});
