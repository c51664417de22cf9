// The body of an exchange, from the archive or from the downloaded files.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { ArchiveReader } from '../../archive/archive-reader.ts';
import { readExchange } from '../../engine/read-exchange.ts';
import type { StoredExchange } from '../../ledger/exchange-table.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerContext } from '../server-context.ts';

export interface ArchivedBody {
  readonly bytes: Readable;
  readonly size: number;
  /** A name for the file that it becomes. */
  readonly name: string;
}

/** Pages are read into memory; the engine has the same limit unless it was raised. */
const MOST_BYTES = 256 * 1024 * 1024;

export function archiveOf(data: string): string {
  return join(data, 'archive');
}

/** Throws 410 `archive_damaged` when it is not there as it was. */
export async function archivedBody({ data, ledger }: ServerContext, exchange: StoredExchange): Promise<ArchivedBody> {
  if (exchange.filePath !== undefined) return savedFile(join(data, 'files'), exchange.filePath);
  const directory = { path: data, ledger, archive: archiveOf(data), files: join(data, 'files') };
  const reader = new ArchiveReader(directory.archive);
  try {
    const { body } = await readExchange(directory, reader, exchange, MOST_BYTES);
    if (body.kind === 'file') return await savedFile(directory.files, body.path);
    const { decoded } = body;
    return { bytes: Readable.from([decoded]), size: decoded.length, name: nameOf(exchange.url) };
  } finally {
    await reader.close();
  }
}

async function savedFile(files: string, path: string): Promise<ArchivedBody> {
  const whole = resolve(files, path);
  // The ledger is ours, and still: nothing outside the directory is ever sent.
  if (!whole.startsWith(resolve(files) + sep)) throw fileGone();
  const found = await stat(whole).catch(() => undefined);
  if (!found?.isFile()) throw fileGone();
  return { bytes: createReadStream(whole), size: found.size, name: basename(whole) };
}

function fileGone(): HttpError {
  return new HttpError(410, 'archive_damaged', {
    message: 'The file is not in its place any more.',
    remedy: 'Restore it from a backup, or fetch it again.',
  });
}

function nameOf(url: string): string {
  const { pathname, hostname } = URL.parse(url) ?? { pathname: '', hostname: 'body' };
  const last = pathname.split('/').at(-1) ?? '';
  return last === '' ? hostname : last;
}
