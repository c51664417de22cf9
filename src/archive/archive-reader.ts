// Reads single records by location: one read, one gunzip, and the digest is checked before a body is handed out.
// What cannot be read exactly as it was written is an `archive_damaged` error, never a shorter body.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { type Files, type OpenFile, systemFiles } from '../platform/files.ts';
import {
  type ArchivedRequest,
  type ArchivedResponse,
  parseRequest,
  parseResponse,
  type WholeResponse,
} from './archived-message.ts';
import type { Location } from './exchange.ts';
import { gunzipMember } from './gzip-member.ts';
import { segmentName } from './segment-name.ts';
import { parseRecord, type WarcRecord } from './warc-record.ts';

const MOST_OPEN_SEGMENTS = 16;

export class ArchiveReader {
  readonly #directory: string;
  readonly #files: Pick<Files, 'open'>;
  /** Open segments, the one used last at the end. */
  readonly #open = new Map<number, Promise<OpenFile>>();

  constructor(directory: string, files: Pick<Files, 'open'> = systemFiles) {
    this.#directory = directory;
    this.#files = files;
  }

  /**
   * The response at `location`. For a revisit, `original` is the location of the record that holds the body; the result
   * has the revisit's headers and that body. Throws `archive_damaged` if anything does not fit.
   */
  async readResponse(location: Location, original?: Location): Promise<ArchivedResponse> {
    const response =
      parseResponse(await this.#readRecord(location)) ?? this.#fail(location, 'is not a response record');
    switch (response.kind) {
      case 'headers_only':
        return response;
      case 'whole':
        return this.#checked(response, location);
      case 'revisit': {
        if (original === undefined) return this.#fail(location, 'is a revisit, and its original is not known');
        const source = await this.readResponse(original);
        if (source.kind !== 'whole' || source.bodySha256 !== response.bodySha256) {
          return this.#fail(original, `does not hold the body with SHA-256 ${response.bodySha256}`);
        }
        return { ...response, kind: 'whole', body: source.body, isWithheld: false };
      }
    }
  }

  /** The request at `location`. */
  async readRequest(location: Location): Promise<ArchivedRequest> {
    return parseRequest(await this.#readRecord(location)) ?? this.#fail(location, 'is not a request record');
  }

  /** Throws `archive_damaged` unless a whole record of any kind lies at `location`. */
  async check(location: Location): Promise<void> {
    await this.#readRecord(location);
  }

  /** The compressed bytes at `location`, to be copied into another WARC file. */
  async readMember(location: Location): Promise<Buffer> {
    const member = Buffer.allocUnsafe(location.length);
    let read: number;
    try {
      read = await (await this.#segment(location.segment)).read(member, location.offset);
    } catch (error) {
      return this.#fail(location, `cannot be read: ${messageOf(error)}`, error);
    }
    if (read < member.length) return this.#fail(location, `is cut off: ${member.length - read} bytes are missing`);
    return member;
  }

  /** Closes all segments. The reader can be used again. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(closeQuietly));
  }

  async #readRecord(location: Location): Promise<WarcRecord> {
    const member = await this.readMember(location);
    const bytes = await gunzipMember(member).catch((error: unknown) =>
      this.#fail(location, `cannot be decompressed: ${messageOf(error)}`, error),
    );
    return parseRecord(bytes) ?? this.#fail(location, 'is not a WARC record');
  }

  #checked(response: WholeResponse, location: Location): WholeResponse {
    if (hash('sha256', response.body) === response.bodySha256) return response;
    return this.#fail(location, `has a body that does not fit its SHA-256 ${response.bodySha256}`);
  }

  #segment(segment: number): Promise<OpenFile> {
    const known = this.#open.get(segment);
    const file = known ?? this.#files.open(join(this.#directory, segmentName(segment)), 'read');
    this.#open.delete(segment);
    this.#open.set(segment, file);
    if (known === undefined) {
      file.catch(() => this.#open.delete(segment));
      const [oldest] = this.#open;
      if (this.#open.size > MOST_OPEN_SEGMENTS && oldest) {
        this.#open.delete(oldest[0]);
        void closeQuietly(oldest[1]);
      }
    }
    return file;
  }

  #fail({ segment, offset }: Location, problem: string, cause?: unknown): never {
    throw new CurlewError(
      ErrorCode.archiveDamaged,
      `The record at byte ${offset} of ${join(this.#directory, segmentName(segment))} ${problem}`,
      { remedy: 'Restore the file from a backup, or fetch the page again.', cause },
    );
  }
}

/** A segment that could not be opened has nothing to close; closing a file that was only read loses nothing. */
async function closeQuietly(file: Promise<OpenFile>): Promise<void> {
  await file.then((open) => open.close()).catch(() => {});
}
