// The frame of one WARC 1.1 record (ISO 28500:2017): version line, named fields, block, two empty lines. Field values come
// from remote data, so none can begin a new line.

import { createHash, hash } from 'node:crypto';
import { oneLine, parseField } from './http-head.ts';
import type { Member } from './member.ts';

const VERSION = 'WARC/1.1';
/** What follows a block. */
export const RECORD_END: Buffer = Buffer.from('\r\n\r\n');
/** How long SHA-256 is in hex. */
const SHA256_HEX = 64;
const NO_BYTES = new Uint8Array();

/** Media types of the blocks, as §6.3.2 and §6.5.2 name them. */
export const REQUEST_TYPE = 'application/http; msgtype=request';
export const RESPONSE_TYPE = 'application/http; msgtype=response';
/** §6.7.2: the body is that of an earlier record. */
export const IDENTICAL_PAYLOAD = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

/** A named field; one without a value is left out. */
export type Field = readonly [name: string, value: string | undefined];

/** A record taken apart. */
export interface WarcRecord {
  /** Values by lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly block: Buffer;
}

/** Version line and fields, up to and with the empty line before the block. */
export function formatRecordHead(fields: readonly Field[], blockLength: number): string {
  return `${formatFields(fields)}${lastField(blockLength)}`;
}

function formatFields(fields: readonly Field[]): string {
  let text = `${VERSION}\r\n`;
  for (const [name, value] of fields) if (value !== undefined) text += `${name}: ${oneLine(value)}\r\n`;
  return text;
}

function lastField(blockLength: number): string {
  return `Content-Length: ${blockLength}\r\n\r\n`;
}

/**
 * A whole record, the digest of its block among the fields. The block is `text`, a character for each byte, and then `body`.
 * Thousands are made in a second, so all is laid out once, in its place: the digest comes last, and is of a length that is
 * known.
 */
export function formatRecord(fields: readonly Field[], text: string, body: Uint8Array = NO_BYTES): Buffer {
  const blockLength = text.length + body.length;
  const before = `${formatFields(fields)}WARC-Block-Digest: sha256:`;
  const after = `\r\n${lastField(blockLength)}`;
  const digestAt = Buffer.byteLength(before);
  const blockAt = digestAt + SHA256_HEX + after.length;
  const record = Buffer.allocUnsafe(blockAt + blockLength + RECORD_END.length);
  record.write(text, blockAt, 'latin1');
  record.set(body, blockAt + text.length);
  record.set(RECORD_END, blockAt + blockLength);
  const digest = hash('sha256', record.subarray(blockAt, blockAt + blockLength));
  record.write(`${before}${digest}${after}`);
  return record;
}

/** The same in parts, the body as it is: for bodies so large that a copy of them counts. */
export function formatLargeRecord(fields: readonly Field[], text: string, body: Uint8Array): Member {
  const digest = createHash('sha256').update(text, 'latin1').update(body).digest('hex');
  const all = [...fields, ['WARC-Block-Digest', `sha256:${digest}`]] as const;
  const head = formatRecordHead(all, text.length + body.length);
  return [Buffer.from(head), Buffer.from(text, 'latin1'), body, RECORD_END];
}

/** Undoes `formatRecord`. Undefined unless `bytes` are exactly one record. */
export function parseRecord(bytes: Buffer): WarcRecord | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [version, ...lines] = bytes.toString('utf8', 0, headEnd).split('\r\n');
  if (version !== VERSION) return undefined;
  const fields = new Map<string, string>();
  for (const line of lines) {
    const field = parseField(line);
    if (field === undefined) return undefined;
    fields.set(field[0].toLowerCase(), field[1]);
  }
  const start = headEnd + 4;
  const end = bytes.length - RECORD_END.length;
  if (fields.get('content-length') !== String(end - start) || !bytes.subarray(end).equals(RECORD_END)) return undefined;
  return { fields, block: bytes.subarray(start, end) };
}

/** `<urn:uuid:…>`, as §5.2 writes identifiers. */
export function recordId(uuid: string): string {
  return `<urn:uuid:${uuid}>`;
}

/**
 * A digest field's value. Lower-case hex and not base32: SHA-256 in base32 needs padding, whose `=` the standard's grammar
 * forbids, and the IIPC's annotations recommend base 16 for it. It is also how the ledger and `sha256sum` write it.
 */
export function digestValue(sha256: string): string {
  return `sha256:${sha256}`;
}

/** W3C date with milliseconds, as §5.4 of version 1.1 allows. */
export function warcDate(at: number): string {
  return new Date(at).toISOString();
}
