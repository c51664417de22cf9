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
import { findDownloadFault } from './check-download.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';
import { checkExchange, checkResponse, requestLocationOf } from './verify/check-exchange.ts';

const PAGE = 200;

/** A record that is not exported. `damaged` is a finding of `curlew verify`, `lost` is known, and nothing is left to do. */
export interface LeftOut {
  readonly kind: 'damaged' | 'lost';
  readonly url: string;
  /** What is wrong with it, as a sentence without its end. */
  readonly problem: string;
}

/** Every record is checked before it is written. What is damaged is left out and told to `onLeftOut`. */
export async function exportWarc(
  data: DataDirectory,
  run: RunId,
  target: Writable | string,
  onLeftOut: (record: LeftOut) => void,
): Promise<void> {
  const reader = new ArchiveReader(data.archive, data.disk);
  try {
    await writeWarc(target, entries(data, run, reader, onLeftOut), { software: `curlew/${version()}` });
  } finally {
    await reader.close();
  }
}

async function* entries(
  data: DataDirectory,
  run: RunId,
  reader: ArchiveReader,
  onLeftOut: (record: LeftOut) => void,
): AsyncGenerator<WarcEntry> {
  const open = await data.ledger.openLosses();
  let after: ExchangeId | undefined;
  for (;;) {
    const page = await data.ledger.exchangesAfter(run, after, PAGE);
    for (const exchange of page) {
      if (exchange.lost !== undefined) {
        onLeftOut({ kind: open.has(exchange.id) ? 'damaged' : 'lost', url: exchange.url, problem: sayLost(exchange) });
        continue;
      }
      const { faults } = await checkExchange(reader, exchange);
      const body = await bodyFault(data, reader, exchange);
      for (const { problem } of faults) onLeftOut({ kind: 'damaged', url: exchange.url, problem });
      if (body !== undefined) onLeftOut({ kind: 'damaged', url: exchange.url, problem: body });
      // A request is told of its answer: without that it says nothing.
      if (body !== undefined || faults.some(({ which }) => which === 'response')) continue;
      if (faults.length === 0) yield { kind: 'copy', member: await reader.readMember(requestLocationOf(exchange)) };
      yield await responseOf(data, exchange, reader);
    }
    after = page.at(-1)?.id;
    if (after === undefined) return;
  }
}

function sayLost({ id, lost, replacedBy }: StoredExchange): string {
  return `Exchange ${id}: ${lost}${replacedBy === undefined ? '' : `; exchange ${replacedBy} has the same bytes`}`;
}

/** What is wrong with a body that is not in the record itself: that of a repetition, or of a download. */
async function bodyFault(
  { ledger, files, disk }: DataDirectory,
  reader: ArchiveReader,
  exchange: StoredExchange,
): Promise<string | undefined> {
  if (exchange.filePath !== undefined) return findDownloadFault(files, exchange, disk);
  if (exchange.revisitOf === undefined) return undefined;
  const original = await ledger.exchange(exchange.revisitOf);
  if (original === undefined) return `Its body is in exchange ${exchange.revisitOf}, which is not in the ledger`;
  const { fault } = await checkResponse(reader, original);
  if (fault !== undefined) return `Its body cannot be read. ${fault.problem}`;
  const isSame = Buffer.from(original.bodySha256).equals(exchange.bodySha256);
  const holds = isSame && original.revisitOf === undefined && original.filePath === undefined;
  return holds ? undefined : `Its body is said to be in exchange ${original.id}, which does not hold it`;
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
