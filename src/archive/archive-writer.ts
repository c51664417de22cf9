// Appends WARC records to segments of its own. The law: bytes before rows. `append` says at once where a record will lie,
// `flush` puts it there, and only then may a row refer to it. A flush that fails leaves nothing behind on the disk, and
// everything that was not flushed before it is void.

import { join } from 'node:path';
import { type Clock, systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { type Files, makeLastingDirectory, type OpenFile, systemFiles, writeAll } from '../platform/files.ts';
import { type Random, systemRandom } from '../platform/random.ts';
import { cutTails } from './cut-tails.ts';
import type { EncodedExchange } from './encode-exchange.ts';
import type { Location, PlacedExchange, SegmentEnd } from './exchange.ts';
import type { Member } from './member.ts';
import { segmentName } from './segment-name.ts';
import { storageError } from './storage-error.ts';
import { encodeWarcinfo } from './warcinfo.ts';

export interface ArchiveWriterOptions {
  /** Gives the number of a segment that no other writer has or had. Called once at the start and once per rotation. */
  readonly allocateSegment: () => Promise<number>;
  /** After the flush with which a segment has reached this many bytes, a new one is begun. Default 512 MiB. */
  readonly segmentBytes?: number;
  /** Name and version of the program, for the `warcinfo` record. Default `curlew`. */
  readonly software?: string;
  readonly files?: Files;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Records that are flushed together; they lie one after the other in one segment. */
interface Batch {
  readonly epoch: number;
  readonly start: SegmentEnd;
  /** Bytes one after the other, and where they end. */
  readonly parts: Uint8Array[];
  end: number;
}

/** Parts are gathered up to this size before they are written. */
const GATHERED_BYTES = 2 ** 20;

export class ArchiveWriter {
  readonly #directory: string;
  readonly #allocateSegment: () => Promise<number>;
  readonly #segmentBytes: number;
  readonly #software: string;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Where the next record goes. */
  #next: SegmentEnd;
  /** The end of the last batch that is on the disk. */
  #written: SegmentEnd;
  /** The segment that the next batch begins, once the current one is full. */
  #fresh: number | undefined;
  /** Counts failed flushes. A batch of an earlier epoch has offsets behind bytes that were never written. */
  #epoch = 0;
  #failure: CurlewError | undefined;
  #batch: Batch | undefined;
  /** Settles when every flush so far has ended; never rejects. */
  #idle: Promise<void> = Promise.resolve();
  #open: { readonly segment: number; readonly file: OpenFile } | undefined;
  #closed = false;
  /** Where parts are gathered. One place for all writes: a new one for each would be in memory long after it. */
  #gathered: Buffer | undefined;

  private constructor(directory: string, segment: number, options: ArchiveWriterOptions) {
    this.#directory = directory;
    this.#allocateSegment = options.allocateSegment;
    this.#segmentBytes = options.segmentBytes ?? 512 * 1024 * 1024;
    this.#software = options.software ?? 'curlew';
    this.#files = options.files ?? systemFiles;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#next = this.#written = { segment, end: 0 };
  }

  /** Makes `directory` if need be. A file appears in it with the first flush. */
  static async open(directory: string, options: ArchiveWriterOptions): Promise<ArchiveWriter> {
    const files = options.files ?? systemFiles;
    try {
      await makeLastingDirectory(directory, files);
    } catch (error) {
      throw await storageError(error, directory, directory, files);
    }
    return new ArchiveWriter(directory, await options.allocateSegment(), options);
  }

  /** Places both records behind all others, in memory. The locations hold once the next `flush` has succeeded. */
  append(exchange: EncodedExchange): PlacedExchange {
    if (this.#closed) throw new CurlewError(ErrorCode.internal, 'The archive writer is closed');
    const batch = (this.#batch ??= this.#beginBatch());
    return { request: this.#place(exchange.request, batch), response: this.#place(exchange.response, batch) };
  }

  /**
   * Writes all that was appended since the last call, a megabyte at a time; with `sync` it is also on the device when this
   * returns. On failure (`disk_full`, `data_directory`) the disk is as before, every location given out since the last
   * successful flush is void, also those of exchanges appended meanwhile, and the writer can be used again.
   */
  flush(options: { readonly sync?: boolean } = {}): Promise<void> {
    const batch = this.#batch;
    if (batch === undefined) return this.#idle;
    this.#batch = undefined;
    if (batch.epoch !== this.#epoch) this.#next = this.#written;
    const flushed = this.#idle.then(() => this.#write(batch, options.sync ?? false));
    this.#idle = flushed.catch(() => {});
    return flushed;
  }

  /** Ends running flushes and closes the file. What was not flushed is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#idle;
    await this.#closeFile();
  }

  #beginBatch(): Batch {
    if (this.#fresh !== undefined) this.#next = { segment: this.#fresh, end: 0 };
    this.#fresh = undefined;
    const batch: Batch = { epoch: this.#epoch, start: this.#next, parts: [], end: this.#next.end };
    if (batch.start.end === 0) {
      const stamp = { software: this.#software, at: this.#clock.now() };
      this.#place(encodeWarcinfo(segmentName(batch.start.segment), stamp, this.#random), batch);
    }
    return batch;
  }

  #place(member: Member, batch: Batch): Location {
    const { segment, end: offset } = this.#next;
    let length = 0;
    for (const part of member) {
      batch.parts.push(part);
      length += part.length;
    }
    batch.end = offset + length;
    this.#next = { segment, end: batch.end };
    return { segment, offset, length };
  }

  async #write({ epoch, start, parts, end }: Batch, sync: boolean): Promise<void> {
    if (epoch !== this.#epoch && this.#failure) throw this.#failure;
    const path = join(this.#directory, segmentName(start.segment));
    try {
      const file = await this.#fileOf(start, path);
      await this.#writeParts(file, parts, start.end);
      if (sync) await file.sync();
      const isFull = end >= this.#segmentBytes && start.segment === this.#next.segment;
      if (isFull) this.#fresh ??= await this.#allocateSegment();
    } catch (error) {
      this.#voidUnflushed();
      this.#failure = await storageError(error, path, this.#directory, this.#files);
      await this.#cutBack(start);
      throw this.#failure;
    }
    this.#written = { segment: start.segment, end };
  }

  async #writeParts(file: OpenFile, parts: readonly Uint8Array[], start: number): Promise<void> {
    const gathered = (this.#gathered ??= Buffer.allocUnsafeSlow(GATHERED_BYTES));
    let [position, filled] = [start, 0];
    for (const part of parts) {
      for (let at = 0; at < part.length; ) {
        const taken = part.subarray(at, at + GATHERED_BYTES - filled);
        gathered.set(taken, filled);
        at += taken.length;
        filled += taken.length;
        if (filled < GATHERED_BYTES) continue;
        await writeAll(file, gathered, position);
        position += filled;
        filled = 0;
      }
    }
    await writeAll(file, gathered.subarray(0, filled), position);
  }

  #voidUnflushed(): void {
    this.#epoch += 1;
    // Records that were appended meanwhile stay in a batch of the old epoch, so that its own flush fails too.
    if (this.#batch === undefined) this.#next = this.#written;
  }

  async #cutBack(to: SegmentEnd): Promise<void> {
    try {
      await this.#closeFile();
      await cutTails(this.#directory, [to], this.#files);
    } catch {
      // Not fatal: records are written by position, so later ones go over what could not be cut.
    }
  }

  /** The segment's file, which stays open until another is asked for. A new one's name is put on the device at once. */
  async #fileOf({ segment, end }: SegmentEnd, path: string): Promise<OpenFile> {
    if (this.#open?.segment === segment) return this.#open.file;
    await this.#closeFile();
    if (end === 0) await this.#setAside(path);
    const file = await this.#files.open(path, 'write');
    this.#open = { segment, file };
    if (end === 0) await this.#files.syncDirectory(this.#directory);
    return file;
  }

  /** A new segment is not written over an old file: if the ledger was lost, that file is all that is left. */
  async #setAside(path: string): Promise<void> {
    if ((await this.#files.sizeOf(path)) === undefined) return;
    let aside = `${path}.orphaned`;
    for (let copy = 2; (await this.#files.sizeOf(aside)) !== undefined; copy++) aside = `${path}.orphaned-${copy}`;
    await this.#files.rename(path, aside);
  }

  async #closeFile(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.file.close();
  }
}
