// One record is one gzip member (ISO 28500 annex D), so that it can be read by offset alone. Members are made on the
// engine's own thread, thousands a second, so the cheapest way is taken that still compresses.

import { promisify } from 'node:util';
import { crc32, gunzipSync, gzip, gunzip as zlibGunzip } from 'node:zlib';
import { reusedGzip } from './reused-gzip.ts';

/** From this size on, (de)compression is handed to the thread pool. */
export const BACKGROUND_BYTES = 256 * 1024;

const LARGEST_STORED_BLOCK = 0xffff;

const gzipInBackground = promisify(gzip);
const gunzipInBackground = promisify(zlibGunzip);

/**
 * Compresses at once; meant for records below `BACKGROUND_BYTES`. Level 1 takes 12 µs for a page of 2 KB and level 6 takes
 * 26 for 2 % less; the thread pool takes 105.
 */
export const gzipMember: (record: Uint8Array) => Buffer = reusedGzip({ level: 1 });

/** Compresses in the thread pool, and harder. */
export function gzipLargeMember(record: Uint8Array): Promise<Buffer> {
  return gzipInBackground(record);
}

/** A member that holds the record as it is: for what is tiny or already compressed. */
export function storedMember(record: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(record.length / LARGEST_STORED_BLOCK));
  const member = Buffer.allocUnsafe(10 + blocks * 5 + record.length + 8);
  // RFC 1952 §2.3: magic, deflate, no flags; no time; no extra flags, unknown system.
  member.writeUInt32BE(0x1f8b0800, 0);
  member.writeUInt32BE(0, 4);
  member.writeUInt16BE(0x00ff, 8);
  let at = 10;
  for (let block = 0; block < blocks; block++) {
    const part = record.subarray(block * LARGEST_STORED_BLOCK, (block + 1) * LARGEST_STORED_BLOCK);
    // RFC 1951 §3.2.4: final bit, type 00, then the length and its complement.
    member[at] = block === blocks - 1 ? 1 : 0;
    member.writeUInt16LE(part.length, at + 1);
    member.writeUInt16LE(part.length ^ 0xffff, at + 3);
    member.set(part, at + 5);
    at += 5 + part.length;
  }
  member.writeUInt32LE(crc32(record), at);
  member.writeUInt32LE(record.length % 2 ** 32, at + 4);
  return member;
}

/** The record inside a member. Rejects if the member is damaged: gzip carries a CRC-32. */
export async function gunzipMember(member: Uint8Array): Promise<Buffer> {
  return member.length < BACKGROUND_BYTES ? gunzipSync(member) : gunzipInBackground(member);
}
