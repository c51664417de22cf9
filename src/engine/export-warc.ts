// A run's part of the archive as one WARC file that stands on its own: revisits and downloads are made whole.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { ArchiveReader } from '../archive/archive-reader.ts';
import { type WarcEntry, writeWarc } from '../archive/write-warc.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { ExchangeId } from '../ledger/page-result.ts';
import type { RunId } from '../ledger/run.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { version } from '../platform/version.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';

const PAGE = 200;

export async function exportWarc(data: DataDirectory, run: RunId, target: Writable | string): Promise<void> {
  const reader = new ArchiveReader(data.archive);
  try {
    await writeWarc(target, entries(data, run, reader), { software: `curlew/${version()}` });
  } finally {
    await reader.close();
  }
}

async function* entries(data: DataDirectory, run: RunId, reader: ArchiveReader): AsyncGenerator<WarcEntry> {
  let after: ExchangeId | undefined;
  for (;;) {
    const page = await data.ledger.exchangesAfter(run, after, PAGE);
    for (const exchange of page) {
      if (exchange.lost !== undefined) continue;
      const { segment, requestOffset: offset, requestLength: length } = exchange;
      yield { kind: 'copy', member: await reader.readMember({ segment, offset, length }) };
      yield await responseOf(data, exchange, reader);
    }
    after = page.at(-1)?.id;
    if (after === undefined) return;
  }
}

async function responseOf(data: DataDirectory, exchange: StoredExchange, reader: ArchiveReader): Promise<WarcEntry> {
  const at = locationOf(exchange);
  if (exchange.revisitOf === undefined && exchange.filePath === undefined) {
    return { kind: 'copy', member: await reader.readMember(at) };
  }
  const original = exchange.revisitOf === undefined ? undefined : await data.ledger.exchange(exchange.revisitOf);
  const head = await reader.readResponse(at, original && locationOf(original));
  if (head.kind === 'whole') {
    const { body, bodySha256: sha256 } = head;
    return { kind: 'whole', head, payload: { sha256, size: body.length, decoded: false, chunks: [body] } };
  }
  const chunks = readFile(join(data.files, exchange.filePath ?? ''), exchange.url);
  return { kind: 'whole', head, payload: { ...head.file, decoded: true, chunks } };
}

/** An error names the stored file: it must not pass for one of the file that is being written. */
async function* readFile(path: string, url: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw new CurlewError(ErrorCode.archiveDamaged, `The download of ${url} cannot be read: ${messageOf(error)}`, {
      remedy: 'Restore the file from a backup, or fetch it again.',
      cause: error,
    });
  }
}
