// An archived exchange, found by the ledger's row and read from the archive: a repetition is made whole by the one it repeats.

import type { ArchiveReader } from '../archive/archive-reader.ts';
import type { Location } from '../archive/exchange.ts';
import { codingsOf, decodeBody } from '../fetch/http/content-coding.ts';
import type { FetchedBody, FetchedExchange } from '../fetch/outcome.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { DataDirectory } from './data-directory.ts';

const NO_BYTES = new Uint8Array();

/** An exchange as it was when it was fetched, as far as a step can see. */
export async function readExchange(
  { ledger }: Pick<DataDirectory, 'ledger'>,
  reader: ArchiveReader,
  exchange: StoredExchange,
  maxPageBytes: number,
): Promise<FetchedExchange> {
  const original = exchange.revisitOf === undefined ? undefined : await ledger.exchange(exchange.revisitOf);
  const response = await reader.readResponse(locationOf(exchange), original && locationOf(original));
  const body: FetchedBody =
    response.kind === 'headers_only'
      ? { kind: 'file', path: exchange.filePath ?? '', ...response.file }
      : {
          kind: 'memory',
          encoded: response.body,
          decoded: response.isWithheld
            ? NO_BYTES
            : await decodeBody(response.body, codingsOf(response.headers), maxPageBytes),
          ...(response.isWithheld && { withheld: 'secret' }),
        };
  return {
    url: exchange.url,
    at: exchange.at,
    method: 'GET',
    requestHeaders: [],
    requestBody: undefined,
    status: response.status,
    statusText: response.statusText,
    responseHeaders: response.headers,
    body,
    remoteAddress: response.remoteAddress,
    durationMs: exchange.durationMs,
  };
}

/** Where the response of an exchange lies. */
export function locationOf({ segment, responseOffset, responseLength }: StoredExchange): Location {
  return { segment, offset: responseOffset, length: responseLength };
}
