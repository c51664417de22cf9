// Puts a reply on the wire, whole or broken as a fault asks. Resolves when everything that will be sent was handed to
// the system, or the connection is gone; never throws.

import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Clock } from '../src/platform/clock.ts';
import { assertNever } from '../src/platform/errors.ts';
import type { RequestFault, SlowFault } from './fault.ts';
import type { Reply } from './reply.ts';

const DEFAULT_MISSING_BYTES = 100;

export interface SendOptions {
  readonly fault: RequestFault | undefined;
  readonly clock: Clock;
  /** Ends a slow body at once, with the connection. */
  readonly signal: AbortSignal;
}

export async function sendReply(response: ServerResponse, reply: Reply, options: SendOptions): Promise<void> {
  const { fault } = options;
  switch (fault?.kind) {
    case undefined:
    case 'latency':
    case 'hold':
    case 'status':
    case 'silent':
    case 'quirk':
      return sendWhole(response, reply);
    case 'reset':
      writeHead(response, reply, 0);
      for (const chunk of firstBytes(reply.body, fault.afterBytes ?? 0)) await written(response, chunk);
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      writeHead(response, reply, fault.missingBytes ?? DEFAULT_MISSING_BYTES);
      for (const chunk of chunksOf(reply.body)) await written(response, chunk);
      response.socket?.end();
      return;
    case 'slow':
      writeHead(response, reply, 0);
      return sendSlowly(response, reply.body, fault, options);
    default:
      assertNever(fault);
  }
}

/** The reply in the best coding that the client accepts. Streamed bodies and files stay as they are. */
export function compressReply(reply: Reply, acceptEncoding: string): Reply {
  const type = reply.headers['content-type'] ?? '';
  if (!/^(text\/|application\/json)/.test(type) || reply.body === '' || isStreamed(reply.body)) return reply;
  const coding = /\bbr\b/.test(acceptEncoding) ? 'br' : /\bgzip\b/.test(acceptEncoding) ? 'gzip' : undefined;
  const headers = { ...reply.headers, vary: 'accept-encoding' };
  if (coding === undefined) return { ...reply, headers };
  const body = coding === 'br' ? brotliCompressSync(reply.body) : gzipSync(reply.body);
  return { ...reply, headers: { ...headers, 'content-encoding': coding }, body };
}

async function sendWhole(response: ServerResponse, reply: Reply): Promise<void> {
  writeHead(response, reply, 0);
  if (isStreamed(reply.body) && response.req.method !== 'HEAD') {
    for (const chunk of reply.body.chunks()) await written(response, chunk);
    response.end();
  } else {
    response.end(isStreamed(reply.body) ? undefined : reply.body);
  }
}

async function sendSlowly(response: ServerResponse, body: Reply['body'], fault: SlowFault, options: SendOptions) {
  const { bytesPerSecond } = fault;
  const pieceBytes = Math.max(1, Math.floor(bytesPerSecond / 10));
  response.flushHeaders();
  for (const chunk of chunksOf(body)) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      if (response.destroyed) return;
      const piece = chunk.subarray(start, start + pieceBytes);
      try {
        await options.clock.sleep((piece.length * 1000) / bytesPerSecond, options.signal);
      } catch {
        response.destroy();
        return;
      }
      await written(response, piece);
    }
  }
  response.end();
}

function writeHead(response: ServerResponse, reply: Reply, missingBytes: number): void {
  const headers: Record<string, string | number> = { ...reply.headers };
  // RFC 9110 §8.6: no Content-Length with 204; with 304 it would be the length of what is not sent.
  if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = lengthOf(reply.body) + missingBytes;
  response.writeHead(reply.status, headers);
}

function written(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve();
      return;
    }
    response.once('close', resolve);
    response.write(chunk, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

function isStreamed(body: Reply['body']): body is Exclude<Reply['body'], string | Buffer> {
  return typeof body !== 'string' && !Buffer.isBuffer(body);
}

function lengthOf(body: Reply['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

function chunksOf(body: Reply['body']): Iterable<Buffer> {
  if (typeof body === 'string') return [Buffer.from(body)];
  return Buffer.isBuffer(body) ? [body] : body.chunks();
}

/** At least one chunk, possibly empty, so that the head is sent. */
function* firstBytes(body: Reply['body'], count: number): Generator<Buffer> {
  let left = count;
  for (const chunk of chunksOf(body)) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
