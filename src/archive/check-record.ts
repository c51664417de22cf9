// Whether a gzip member is exactly one WARC record whose bytes are what its own digests say. Nothing is taken on trust: not
// the CRC of gzip, which a record can have and still not be what was written, and not that the member ends where it should.

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, type InputType, type ZlibOptions } from 'node:zlib';
import { messageOf } from '../platform/errors.ts';
import { BACKGROUND_BYTES } from './gzip-member.ts';
import { parseHttpHead } from './http-head.ts';
import { parseRecord, type WarcRecord } from './warc-record.ts';

/** `problem` ends a sentence that begins with the place of the record. */
export type CheckedRecord =
  | { readonly kind: 'sound'; readonly record: WarcRecord }
  | { readonly kind: 'unreadable' | 'digest'; readonly problem: string };

/** With `info`, Node also gives the engine, which knows how much of its input it has used. */
interface Unzipped {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
type Unzip = (input: InputType, options: ZlibOptions) => Promise<Unzipped>;

const unzipInBackground = promisify(gunzip) as unknown as Unzip;
const unzipAtOnce: Unzip = async (input, options) => gunzipSync(input, options) as unknown as Unzipped;

/** `mostBytes`: more than the record can have, so that a damaged member cannot fill the memory. */
export async function checkRecord(member: Uint8Array, mostBytes: number): Promise<CheckedRecord> {
  let unzipped: Unzipped;
  try {
    const unzip = member.length < BACKGROUND_BYTES ? unzipAtOnce : unzipInBackground;
    unzipped = await unzip(member, { info: true, maxOutputLength: mostBytes });
  } catch (error) {
    return unreadable(`cannot be decompressed: ${messageOf(error)}`);
  }
  const { buffer, engine } = unzipped;
  if (engine.bytesWritten !== member.length) {
    return unreadable(`is followed by ${member.length - engine.bytesWritten} bytes that do not belong to it`);
  }
  const record = parseRecord(buffer);
  return record === undefined ? unreadable('is not a WARC record') : checkDigests(record);
}

/** Both digests, where the record has them: a block's is that of all of it, a payload's that of the body of a message. */
export function checkDigests(record: WarcRecord): CheckedRecord {
  const { fields, block } = record;
  if (differs(fields.get('warc-block-digest'), block)) {
    return { kind: 'digest', problem: 'does not fit its WARC-Block-Digest' };
  }
  const isWhole = fields.get('warc-type') !== 'revisit' && fields.get('warc-truncated') === undefined;
  const payload = isWhole ? fields.get('warc-payload-digest') : undefined;
  if (payload !== undefined && differs(payload, block.subarray(parseHttpHead(block)?.bodyOffset ?? block.length))) {
    return { kind: 'digest', problem: 'has a body that does not fit its WARC-Payload-Digest' };
  }
  return { kind: 'sound', record };
}

function differs(digest: string | undefined, bytes: Uint8Array): boolean {
  return digest?.startsWith('sha256:') === true && digest !== `sha256:${hash('sha256', bytes)}`;
}

function unreadable(problem: string): CheckedRecord {
  return { kind: 'unreadable', problem };
}
