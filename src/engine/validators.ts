// Makes requests conditional (RFC 9110 §13.1) on what was archived of the same address before, so that a site sends again
// only what has changed.

import { ArchiveReader } from '../archive/archive-reader.ts';
import { headerValue } from '../fetch/http/header-list.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';

export class Validators {
  readonly #data: DataDirectory;
  readonly #reader: ArchiveReader;

  constructor(data: DataDirectory) {
    this.#data = data;
    this.#reader = new ArchiveReader(data.archive);
  }

  /** The request with the conditions that the last 200 to it allows; as it is, when there was none. */
  async addTo(request: ClaimedRequest): Promise<ClaimedRequest> {
    const { ledger } = this.#data;
    const last = await ledger.lastAnswer(request.identity, request.spec.url);
    if (last === undefined) return request;
    const original = last.revisitOf === undefined ? undefined : await ledger.exchange(last.revisitOf);
    const { headers } = await this.#reader.readResponse(locationOf(last), original && locationOf(original));
    const etag = headerValue(headers, 'etag');
    const modified = headerValue(headers, 'last-modified');
    const conditions = {
      ...(etag !== undefined && { 'If-None-Match': etag }),
      ...(modified !== undefined && { 'If-Modified-Since': modified }),
    };
    return { ...request, spec: { ...request.spec, headers: { ...request.spec.headers, ...conditions } } };
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }
}
