// Goes through a stretch of a segment without a ledger: where each record begins follows from where the one before ends.
// After bytes that are no record, the next one is looked for. Memory holds one record, and never more than a limit.

import { constants, crc32, inflateRawSync, type ZlibOptions } from 'node:zlib';
import type { OpenFile } from '../platform/files.ts';
import { checkDigests } from './check-record.ts';
import { parseRecord, type WarcRecord } from './warc-record.ts';

/** A stretch of a segment: a record, or bytes that are none. */
export type Stretch = { readonly offset: number; readonly length: number } & (
  | { readonly kind: 'record'; readonly record: WarcRecord }
  | { readonly kind: 'digest'; readonly record: WarcRecord; readonly problem: string }
  | { readonly kind: 'unknown' }
);

const HEAD_BYTES = 10;
const TAIL_BYTES = 8;
/** RFC 1952 §2.3: magic and deflate; the flags are none, as we write it. */
const MAGIC = Buffer.from([0x1f, 0x8b, 8, 0]);
const FIRST_READ = 256 * 1024;
/** A record that is larger is not found by a scan. */
const MOST_BYTES = 256 * 2 ** 20;

/** The stretches from `from` up to `to`, one after the other, with nothing between them. */
export async function* scanMembers(file: OpenFile, from: number, to: number): AsyncGenerator<Stretch> {
  let unknownFrom: number | undefined;
  for (let offset = from; offset < to; ) {
    const found = await memberAt(file, offset, to);
    if (found === undefined) {
      unknownFrom ??= offset;
      offset = await nextMagic(file, offset + 1, to);
      continue;
    }
    if (unknownFrom !== undefined) yield { kind: 'unknown', offset: unknownFrom, length: offset - unknownFrom };
    unknownFrom = undefined;
    yield found;
    offset += found.length;
  }
  if (unknownFrom !== undefined) yield { kind: 'unknown', offset: unknownFrom, length: to - unknownFrom };
}

async function memberAt(file: OpenFile, offset: number, to: number): Promise<Stretch | undefined> {
  for (let size = FIRST_READ; ; size *= 4) {
    const length = Math.min(size, to - offset, MOST_BYTES);
    const buffer = Buffer.allocUnsafe(length);
    const bytes = buffer.subarray(0, await file.read(buffer, offset));
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const member = inflate(bytes);
    if (member !== undefined) return stretchOf(member, offset);
    if (bytes.length < size) return undefined;
  }
}

interface Inflated {
  readonly bytes: Buffer;
  readonly length: number;
}

/** The first member of `bytes`; undefined when it is damaged, or not all there. */
function inflate(bytes: Buffer): Inflated | undefined {
  try {
    const options = { info: true, maxOutputLength: MOST_BYTES, finishFlush: constants.Z_FINISH } as ZlibOptions;
    const { buffer, engine } = inflateRawSync(bytes.subarray(HEAD_BYTES), options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const end = HEAD_BYTES + engine.bytesWritten;
    if (bytes.length < end + TAIL_BYTES) return undefined;
    if (bytes.readUInt32LE(end) !== crc32(buffer)) return undefined;
    if (bytes.readUInt32LE(end + 4) !== buffer.length % 2 ** 32) return undefined;
    return { bytes: buffer, length: end + TAIL_BYTES };
  } catch {
    return undefined;
  }
}

function stretchOf({ bytes, length }: Inflated, offset: number): Stretch | undefined {
  const record = parseRecord(bytes);
  if (record === undefined) return undefined;
  const checked = checkDigests(record);
  if (checked.kind === 'sound') return { kind: 'record', offset, length, record };
  return { kind: 'digest', offset, length, record, problem: checked.problem };
}

/** Where the next member may begin; `to` when there is none. */
async function nextMagic(file: OpenFile, from: number, to: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(FIRST_READ);
  for (let offset = from; offset < to; offset += FIRST_READ - MAGIC.length) {
    const read = await file.read(buffer.subarray(0, Math.min(FIRST_READ, to - offset)), offset);
    const at = buffer.subarray(0, read).indexOf(MAGIC);
    if (at >= 0) return offset + at;
    if (read < FIRST_READ) return to;
  }
  return to;
}
