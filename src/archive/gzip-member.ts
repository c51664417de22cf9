// One record is one gzip member (ISO 28500 annex D), so that it can be read by offset alone. Members are made on the
// engine's own thread, thousands a second, so the cheapest way is taken that still compresses. A large body is never copied
// to stand beside its headers: records and members may be in parts.

import { promisify } from 'node:util';
import { crc32, createGzip, gunzipSync, gunzip as zlibGunzip } from 'node:zlib';
import type { Member } from './member.ts';
import { reusedGzip } from './reused-gzip.ts';

/** From this size on, (de)compression is handed to the thread pool. */
export const BACKGROUND_BYTES = 256 * 1024;

const LARGEST_STORED_BLOCK = 0xffff;
// RFC 1952 §2.3: magic, deflate, no flags; no time; no extra flags, unknown system.
const STORED_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

const gunzipInBackground = promisify(zlibGunzip);

const compress = reusedGzip({ level: 1 });

/**
 * Compresses at once; meant for records below `BACKGROUND_BYTES`. Level 1 takes 12 µs for a page of 2 KB and level 6 takes
 * 26 for 2 % less; the thread pool takes 105.
 */
export function gzipMember(record: Uint8Array): Member {
  return [compress(record)];
}

/** Compresses in the thread pool, and harder. */
export async function gzipLargeMember(record: Member): Promise<Member> {
  const gzip = createGzip({ chunkSize: 65_536 });
  for (const part of record) gzip.write(part);
  const member: Uint8Array[] = [];
  for await (const part of gzip.end()) member.push(part);
  return member;
}

/** A member that holds the record as it is: for what is tiny or already compressed. */
export function storedMember(record: Member): Member {
  const member: Uint8Array[] = [STORED_HEAD];
  let blockHead = storedBlock(0);
  let crc = 0;
  let length = 0;
  for (const part of record) {
    for (let at = 0; at < part.length; at += LARGEST_STORED_BLOCK) {
      const block = part.subarray(at, at + LARGEST_STORED_BLOCK);
      blockHead = storedBlock(block.length);
      member.push(blockHead, block);
    }
    crc = crc32(part, crc);
    length += part.length;
  }
  if (length === 0) member.push(blockHead);
  blockHead[0] = 1;
  const end = Buffer.allocUnsafe(8);
  end.writeUInt32LE(crc, 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  member.push(end);
  return member;
}

/** RFC 1951 §3.2.4: final bit, type 00, then the length and its complement. */
function storedBlock(length: number): Uint8Array {
  const head = Buffer.allocUnsafe(5);
  head[0] = 0;
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(length ^ 0xffff, 3);
  return head;
}

/** The record inside a member. Rejects if the member is damaged: gzip carries a CRC-32. */
export async function gunzipMember(member: Uint8Array): Promise<Buffer> {
  return member.length < BACKGROUND_BYTES ? gunzipSync(member) : gunzipInBackground(member);
}
