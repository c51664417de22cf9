// Writes a WARC file for others: records copied as they are, and responses made whole, their bodies streamed, so that
// memory does not grow with a file. A target given by path appears whole or not at all.

import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { pipeline as onPipelineEnd, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, systemClock } from '../platform/clock.ts';
import { assertNever, CurlewError, ErrorCode, systemCodeOf } from '../platform/errors.ts';
import { type Files, systemFiles, writeAll } from '../platform/files.ts';
import { type Random, systemRandom } from '../platform/random.ts';
import type { ArchivedHead } from './archived-message.ts';
import { statusLine } from './encode-exchange.ts';
import type { PayloadDigest } from './exchange.ts';
import { formatHttpHead } from './http-head.ts';
import { storageError } from './storage-error.ts';
import { digestValue, formatRecordHead, RECORD_END, RESPONSE_TYPE, warcDate } from './warc-record.ts';
import { encodeWarcinfo } from './warcinfo.ts';

/** A body of any length, read once. `decoded` if it is without the content coding that the headers name. */
interface Payload extends PayloadDigest {
  readonly decoded: boolean;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * `copy`: a record as `ArchiveReader.readMember` gives it. `whole`: a response with the body it had on the wire, for
 * downloads and for revisits whose original is not part of the same file; it keeps its record id.
 */
export type WarcEntry =
  | { readonly kind: 'copy'; readonly member: Uint8Array }
  | { readonly kind: 'whole'; readonly head: ArchivedHead; readonly payload: Payload };

export interface WriteWarcOptions {
  /** Name and version of the program, for the `warcinfo` record. Default `curlew`. */
  readonly software?: string;
  readonly files?: Files;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Writes a `warcinfo` record and then the entries, one gzip member each. A stream is ended afterwards, unless it is the
 * process's own output. Throws `disk_full`, and `archive_damaged` when a payload is not what its digest says.
 */
export async function writeWarc(
  target: Writable | string,
  entries: AsyncIterable<WarcEntry> | Iterable<WarcEntry>,
  options: WriteWarcOptions = {},
): Promise<void> {
  if (typeof target === 'string') await writeToPath(target, entries, options);
  else {
    const end = target !== process.stdout && target !== process.stderr;
    await pipeline(Readable.from(warcBytes(undefined, entries, options)), target, { end });
  }
}

async function writeToPath(
  path: string,
  entries: AsyncIterable<WarcEntry> | Iterable<WarcEntry>,
  options: WriteWarcOptions,
): Promise<void> {
  const files = options.files ?? systemFiles;
  const partial = `${path}.partial`;
  try {
    const file = await files.open(partial, 'write');
    try {
      await file.truncate(0);
      let position = 0;
      for await (const bytes of warcBytes(basename(path), entries, options)) {
        await writeAll(file, bytes, position);
        position += bytes.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(partial, path);
  } catch (error) {
    await files.remove(partial).catch(() => {});
    // An error that is not the system's comes from the entries, and says itself what it is.
    throw systemCodeOf(error) === undefined ? error : await storageError(error, path, dirname(path), files);
  }
}

async function* warcBytes(
  fileName: string | undefined,
  entries: AsyncIterable<WarcEntry> | Iterable<WarcEntry>,
  { software = 'curlew', clock = systemClock, random = systemRandom }: WriteWarcOptions,
): AsyncGenerator<Uint8Array> {
  yield* encodeWarcinfo(fileName, { software, at: clock.now() }, random);
  for await (const entry of entries) {
    switch (entry.kind) {
      case 'copy':
        yield entry.member;
        break;
      case 'whole':
        yield* gzipped(wholeRecord(entry.head, entry.payload), isText(entry.head) ? 1 : 0);
        break;
      default:
        assertNever(entry);
    }
  }
}

async function* wholeRecord(head: ArchivedHead, payload: Payload): AsyncGenerator<Uint8Array> {
  const http = Buffer.from(formatHttpHead(statusLine(head.status, head.statusText), head.headers, payload), 'latin1');
  // No block digest: it would need a second pass over the payload, whose own digest is known.
  const fields = [
    ['WARC-Type', 'response'],
    ['WARC-Record-ID', head.recordId],
    ['WARC-Concurrent-To', head.concurrentTo],
    ['WARC-Date', warcDate(head.at)],
    ['WARC-Target-URI', head.targetUri],
    ['WARC-IP-Address', head.remoteAddress],
    ['Content-Type', RESPONSE_TYPE],
    ['WARC-Payload-Digest', digestValue(payload.sha256)],
  ] as const;
  yield Buffer.concat([Buffer.from(formatRecordHead(fields, http.length + payload.size)), http]);
  yield* verified(payload, head.targetUri);
  yield RECORD_END;
}

async function* verified(payload: Payload, targetUri: string): AsyncGenerator<Uint8Array> {
  const sha256 = createHash('sha256');
  let size = 0;
  for await (const chunk of payload.chunks) {
    sha256.update(chunk);
    size += chunk.length;
    yield chunk;
  }
  const actual = sha256.digest('hex');
  if (size === payload.size && actual === payload.sha256) return;
  throw new CurlewError(
    ErrorCode.archiveDamaged,
    `The stored body of ${targetUri} has ${size} bytes and SHA-256 ${actual}, expected ${payload.size} and ${payload.sha256}`,
    { remedy: 'Restore the file from a backup, or fetch it again.' },
  );
}

/** Documents and pictures are compressed already; trying again is twenty times slower than storing them. */
function isText({ headers }: ArchivedHead): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return /^text\/|[/+](?:json|xml|javascript)\b/i.test(type);
}

function gzipped(bytes: AsyncIterable<Uint8Array>, level: number): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level });
  // An error of the source destroys the stream, and so reaches whoever iterates over it.
  onPipelineEnd(Readable.from(bytes), gzip, () => {});
  return gzip;
}
