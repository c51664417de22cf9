// Makes requests conditional (RFC 9110 §13.1) on what was archived of the same address before, so that a site sends again
// only what has changed.

import { ArchiveReader } from '../archive/archive-reader.ts';
import type { Header } from '../archive/exchange.ts';
import { headerValue } from '../fetch/http/header-list.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';

export class Validators {
  readonly #data: DataDirectory;
  readonly #reader: ArchiveReader;

  constructor(data: DataDirectory) {
    this.#data = data;
    this.#reader = new ArchiveReader(data.archive);
  }

  /** The request with the conditions that the last 200 to it allows; as it is, when there was none, or it is damaged. */
  async addTo(request: ClaimedRequest): Promise<ClaimedRequest> {
    const { ledger } = this.#data;
    const last = await ledger.lastAnswer(request.identity, request.spec.url);
    const headers = last && (await this.#headersOf(last));
    if (headers === undefined) return request;
    const etag = headerValue(headers, 'etag');
    const modified = headerValue(headers, 'last-modified');
    const conditions = {
      ...(etag !== undefined && { 'If-None-Match': etag }),
      ...(modified !== undefined && { 'If-Modified-Since': modified }),
    };
    return { ...request, spec: { ...request.spec, headers: { ...request.spec.headers, ...conditions } } };
  }

  /** Undefined when what was archived is damaged: then all of it is to come anew. */
  async #headersOf(exchange: StoredExchange): Promise<readonly Header[] | undefined> {
    const { ledger } = this.#data;
    const original = exchange.revisitOf === undefined ? undefined : await ledger.exchange(exchange.revisitOf);
    try {
      return (await this.#reader.readResponse(locationOf(exchange), original && locationOf(original))).headers;
    } catch (error) {
      if (error instanceof CurlewError && error.code === ErrorCode.archiveDamaged) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }
}
