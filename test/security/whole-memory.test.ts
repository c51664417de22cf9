// What a hostile or merely large answer costs the whole command: its peak of memory, above that of a small page. The archive,
// the ledger and three attempts are part of it.

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlew } from '../fixtures/curlew-process.ts';
import { type RawServer, rawServer, writeForever } from '../fixtures/raw-server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const MEBIBYTE = 2 ** 20;
const CAP_BYTES = 32 * MEBIBYTE;
const ALLOWANCE_BYTES = 64 * 10 ** 6;
const preload = fileURLToPath(new URL('../fixtures/peak-memory.ts', import.meta.url));
const scratch = scratchDirectory();

const bomb = Buffer.alloc(128 * MEBIBYTE);
/** Nothing makes it smaller: what is kept of it is as large as it is. */
const noise = randomBytes(31 * MEBIBYTE);
const bodies: Readonly<Record<string, readonly [coding: string, body: Buffer]>> = {
  small: ['identity', Buffer.from('<p>page</p>')],
  'bomb-gzip': ['gzip', zlib.gzipSync(bomb)],
  'bomb-br': ['br', zlib.brotliCompressSync(bomb, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } })],
  'bomb-zstd': ['zstd', zlib.zstdCompressSync(bomb)],
  large: ['identity', noise],
  'large-gzip': ['gzip', zlib.gzipSync(noise, { level: 1 })],
  'large-twice-gzip': ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(noise, { level: 1 }), { level: 1 })],
};

describe.skipIf(process.platform !== 'linux')('curlew fetch takes no more than 32 MiB and 64 MB for', () => {
  let server: RawServer;
  let small: ReturnType<typeof peakOf> | undefined;

  beforeAll(async () => {
    server = await rawServer((socket, head) => {
      const path = head.split(' ')[1]?.slice(1) ?? '';
      const [coding, body] = bodies[path] ?? [];
      if (body !== undefined) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      } else if (path === 'endless') {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        writeForever(socket, noise.subarray(0, 2 ** 16));
      } else if (path === 'long-extensions') {
        // 4 KiB of content, and as much again beside it: chunks are views of all that came together.
        const chunk = `1000;${'x'.repeat(60_000)}\r\n${'y'.repeat(4096)}\r\n`;
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        writeForever(socket, Buffer.from(chunk));
      } else {
        socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      }
    });
  });
  afterAll(() => server.close());

  async function peakOf(
    path: string,
  ): Promise<{ readonly bytes: number; readonly kind: string; readonly size: number }> {
    const where = ['--allow-host', `127.0.0.1:${server.port}`, '--data', scratch(path)];
    const ended = await curlew(['fetch', `${server.origin}/${path}`, ...where, '--rate', 'off', '--json'], { preload });
    const bytes = /^peak memory: (\d+) bytes$/m.exec(ended.stderr)?.[1] ?? expect.fail(ended.stderr);
    return { ...JSON.parse(ended.stdout), bytes: Number(bytes) };
  }

  /** Above that of a small page. */
  async function growthOf(path: string) {
    const { bytes: smallBytes } = await (small ??= peakOf('small'));
    const { bytes, ...outcome } = await peakOf(path);
    return { growthBytes: bytes - smallBytes, outcome };
  }

  it.each([
    ['a body that never ends', 'endless'],
    ['one with far more beside its content than in it', 'long-extensions'],
    ['a gzip bomb', 'bomb-gzip'],
    ['a br bomb', 'bomb-br'],
    ['a zstd bomb', 'bomb-zstd'],
  ])('%s, asked for three times', async (_what, path) => {
    const { growthBytes, outcome } = await growthOf(path);
    expect(outcome).toMatchObject({ kind: 'url_specific', attempts: 3 });
    expect(growthBytes).toBeLessThan(CAP_BYTES + ALLOWANCE_BYTES);
  });

  it.each(['large', 'large-gzip', 'large-twice-gzip'])('a %s page that nothing makes smaller', async (path) => {
    const { growthBytes, outcome } = await growthOf(path);
    expect(outcome).toMatchObject({ kind: 'ok', size: noise.length });
    expect(growthBytes).toBeLessThan(CAP_BYTES + ALLOWANCE_BYTES);
  });
});
