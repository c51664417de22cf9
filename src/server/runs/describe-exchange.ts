// One exchange with the site, as the archive has it.

import { basename } from 'node:path';
import { ArchiveReader } from '../../archive/archive-reader.ts';
import { locationOf } from '../../engine/read-exchange.ts';
import type { StoredExchange } from '../../ledger/exchange-table.ts';
import type { AnswerOf } from '../contract/routes.ts';
import { cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';
import type { ServerContext } from '../server-context.ts';
import { archiveOf } from './archived-body.ts';

type Exchange = AnswerOf<'request'>['exchanges'][number];

export async function describeExchange(context: ServerContext, exchange: StoredExchange): Promise<Exchange> {
  const { id, hop, at, durationMs, url, status, bodySize, filePath, lost } = exchange;
  return {
    id,
    hop,
    at: iso(at),
    durationMs,
    url: cleanText(url),
    status,
    contentType: await contentTypeOf(context, exchange),
    bodySize,
    sha256: Buffer.from(exchange.bodySha256).toString('hex'),
    fileName: filePath === undefined ? null : basename(filePath),
    bodyUrl: bodySize === 0 || lost !== undefined ? null : `/api/exchanges/${id}/body`,
  };
}

/** Null when the archive cannot tell. */
async function contentTypeOf({ data, ledger }: ServerContext, exchange: StoredExchange): Promise<string | null> {
  const reader = new ArchiveReader(archiveOf(data));
  try {
    const original = exchange.revisitOf === undefined ? undefined : await ledger.exchange(exchange.revisitOf);
    const { headers } = await reader.readResponse(locationOf(exchange), original && locationOf(original));
    return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;
  } catch {
    return null;
  } finally {
    await reader.close();
  }
}
