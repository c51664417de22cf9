// Answers from the archive of an earlier run, and from nothing else: nothing here can open a connection. What that run
// never asked for, or never got an answer to, is unknown here too.

import { ArchiveReader } from '../archive/archive-reader.ts';
import type { Location } from '../archive/exchange.ts';
import { codingsOf, decodeBody } from '../fetch/http/content-coding.ts';
import type { FetchedBody, FetchedExchange, Outcome } from '../fetch/outcome.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { RequestFate } from '../ledger/request-table.ts';
import type { RunId } from '../ledger/run.ts';
import type { AnswerSource } from './answer-source.ts';
import type { DataDirectory } from './data-directory.ts';

export class ArchiveSource implements AnswerSource {
  readonly #data: DataDirectory;
  readonly #run: RunId;
  readonly #maxPageBytes: number;
  readonly #reader: ArchiveReader;

  constructor(data: DataDirectory, run: RunId, maxPageBytes: number) {
    this.#data = data;
    this.#run = run;
    this.#maxPageBytes = maxPageBytes;
    this.#reader = new ArchiveReader(data.archive);
  }

  async answer({ identity }: ClaimedRequest): Promise<Outcome> {
    const fate = await this.#data.ledger.fateOf(this.#run, identity);
    if (fate === undefined) return unknown(`run ${this.#run} never asked for it`);
    const final = (await this.#data.ledger.exchangesOf(fate.id)).at(-1);
    if (final !== undefined && final.status >= 200 && final.status < 300) {
      const response = await readExchange(this.#data, this.#reader, final, this.#maxPageBytes);
      return { kind: 'ok', exchanges: [], response };
    }
    return pageless(fate);
  }

  takeUnsaved(): undefined {}

  async close(): Promise<void> {
    await this.#reader.close();
  }
}

/** An exchange as it was when it was fetched, as far as a step can see. */
export async function readExchange(
  { ledger }: DataDirectory,
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
          decoded: await decodeBody(response.body, codingsOf(response.headers), maxPageBytes),
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

/** The same fate as in the run that is replayed. */
function pageless({ verdict, status, reason = 'no answer' }: RequestFate): Outcome {
  switch (verdict) {
    case 'skipped':
      return { kind: 'skipped', exchanges: [], reason };
    case 'absent':
    case 'blocked':
    case 'failed':
      return { kind: 'url_specific', exchanges: [], status, reason, retriable: false };
    case 'done':
    case 'unknown':
    case undefined:
      return unknown(reason);
  }
}

function unknown(reason: string): Outcome {
  return {
    kind: 'url_specific',
    exchanges: [],
    status: undefined,
    reason: `not in the archive: ${reason}`,
    retriable: true,
  };
}
