// Files in parts, methods that a path does not have, and calls that are no HTTP.

import { execFile } from 'node:child_process';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/contract/route.ts';
import { ROUTES } from '../../src/server/contract/routes.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer, send, type TestServer } from './server-setup.ts';

const scratch = scratchDirectory();
const BYTES = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));

async function serveFile(): Promise<{ server: TestServer; url: string }> {
  const directory = scratch('data', 'pdfs', 'unreported_judgments');
  await mkdir(directory, { recursive: true });
  await writeFile(scratch('data', 'pdfs', 'unreported_judgments', 'FSD1.pdf'), BYTES);
  const server = await openServer(scratch('data'));
  return { server, url: `${server.url}/files/unreported_judgments/FSD1.pdf` };
}

async function part(url: string, headers: Record<string, string>) {
  const { statusCode, headers: got, body } = await request(url, { headers });
  return { status: statusCode, headers: got, bytes: Buffer.from(await body.arrayBuffer()) };
}

describe('a file', () => {
  it.each<[string, number, number]>([
    ['bytes=0-99', 0, 99],
    ['bytes=4900-', 4_900, 4_999],
    ['bytes=-1', 4_999, 4_999],
    ['bytes=4990-9999', 4_990, 4_999],
  ])('is sent in part: %s', async (range, first, last) => {
    const { url } = await serveFile();
    const { status, headers, bytes } = await part(url, { range });
    expect([status, headers['content-range'], headers['content-length']]).toEqual([
      206,
      `bytes ${first}-${last}/5000`,
      String(last - first + 1),
    ]);
    expect(bytes.equals(BYTES.subarray(first, last + 1))).toBe(true);
    expect([headers['content-type'], headers['x-content-type-options']]).toEqual(['application/pdf', 'nosniff']);
    expect(headers['content-disposition']).toContain('attachment');
  });

  it('is sent whole without a range, and says that parts can be had', async () => {
    const { url } = await serveFile();
    const { status, headers, bytes } = await part(url, {});
    expect([status, headers['accept-ranges'], headers['content-length']]).toEqual([200, 'bytes', '5000']);
    expect(bytes.equals(BYTES)).toBe(true);
    for (const range of ['bytes=0-1,4-5', 'pages=1-2']) expect((await part(url, { range })).status).toBe(200);
  });

  it('has no part behind its end: 416', async () => {
    const { server, url } = await serveFile();
    const { status, headers, json } = await send(url, { headers: { range: 'bytes=5000-' } });
    expect([status, headers['content-range'], json.error]).toEqual([416, 'bytes */5000', 'range_not_satisfiable']);
    expect(headers['content-disposition']).toBeUndefined();
    const params = { source: 'unreported_judgments', file: 'FSD1.pdf' };
    expect((await call(server, 'file', { params, headers: { range: 'bytes=9999-' } })).status).toBe(416);
  });

  it('that was changed meanwhile is sent whole: If-Range', async () => {
    const { url } = await serveFile();
    const { headers } = await part(url, {});
    const range = 'bytes=10-19';
    const [etag, modified] = [String(headers.etag), String(headers['last-modified'])];
    expect((await part(url, { range, 'if-range': etag })).status).toBe(206);
    expect((await part(url, { range, 'if-range': modified })).status).toBe(206);
    const later = new Date(Date.parse(modified) + 60_000);
    await utimes(scratch('data', 'pdfs', 'unreported_judgments', 'FSD1.pdf'), later, later);
    for (const old of [etag, modified, `W/${etag}`]) {
      const { status, bytes } = await part(url, { range, 'if-range': old });
      expect([old, status, bytes.length]).toEqual([old, 200, 5_000]);
    }
  });

  it('that was cut off is completed by curl', async () => {
    const { url } = await serveFile();
    const target = scratch('half.pdf');
    await writeFile(target, BYTES.subarray(0, 1_234));
    await promisify(execFile)('curl', ['--silent', '--fail', '--continue-at', '-', '--output', target, url]);
    const { readFile } = await import('node:fs/promises');
    expect((await readFile(target)).equals(BYTES)).toBe(true);
  });
});

describe('a method that a path does not have', () => {
  it('is 405 with the methods that it has, on every route', async () => {
    const server = await openServer(scratch('data'));
    const byPath = Map.groupBy(Object.values<Route>(ROUTES), ({ path }) => path);
    for (const [path, routes] of byPath) {
      const own = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort();
      const url = server.url + path.replace(/:\w+/g, '1');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => !own.includes(one))) {
        // The path of a run's part is that of another one too: /api/runs/latest is /api/runs/:id.
        const { status, headers, json } = await send(url, { method });
        expect([method, path, status, json?.error]).toEqual([method, path, 405, 'method_not_allowed']);
        expect(String(headers.allow).split(', ')).toEqual(expect.arrayContaining(own));
      }
    }
    expect((await send(`${server.url}/api/nothing`, { method: 'PUT' })).status).toBe(404);
    expect((await send(`${server.url}/`, { method: 'POST' })).headers.allow).toBe('GET, HEAD');
  });
});

describe('a call that is no HTTP we read', () => {
  const say = (server: TestServer, text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => (answer += chunk));
      socket.on('end', () => resolve(answer)).on('error', reject);
      socket.write(text);
    });

  it.each([
    [
      'too large a head',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
    [
      'a path that cannot be decoded',
      'GET /api/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      400,
      'bad_request',
    ],
  ])('%s is answered in the shape of every error', async (_, text, status, error) => {
    const server = await openServer(scratch('data'));
    const answer = await say(server, text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(body)).toMatchObject({ ok: false, error });
  });
});
