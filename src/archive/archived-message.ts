// What a WARC record of ours says about an HTTP message. The inverse of encode-exchange.ts.

import type { Instant } from '../platform/clock.ts';
import { FILE_DIGEST_FIELD, FILE_LENGTH_FIELD, WITHHELD_FIELD } from './encode-exchange.ts';
import type { Header, PayloadDigest } from './exchange.ts';
import { parseHttpHead } from './http-head.ts';
import type { WarcRecord } from './warc-record.ts';

export interface ArchivedRequest {
  readonly targetUri: string;
  readonly at: Instant;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

/** A response without its body. */
export interface ArchivedHead {
  /** `<urn:uuid:…>`; the request record refers to it. */
  readonly recordId: string;
  /** The record id of the request. */
  readonly concurrentTo: string | undefined;
  readonly targetUri: string;
  readonly at: Instant;
  readonly status: number;
  readonly statusText: string;
  /** As received, in order. */
  readonly headers: readonly Header[];
  readonly remoteAddress: string | undefined;
}

/** A response with its body, still in its content coding. */
export interface WholeResponse extends ArchivedHead {
  readonly kind: 'whole';
  readonly body: Buffer;
  readonly bodySha256: string;
  /** Whether the body that came was not written: `body` is empty then. */
  readonly isWithheld: boolean;
}

/** A download: the body is in the file store. */
export interface HeadersOnlyResponse extends ArchivedHead {
  readonly kind: 'headers_only';
  readonly file: PayloadDigest;
}

/** A response whose body another record holds. */
export interface RevisitResponse extends ArchivedHead {
  readonly kind: 'revisit';
  readonly bodySha256: string;
}

/** What a reader hands out: revisits have been resolved. */
export type ArchivedResponse = WholeResponse | HeadersOnlyResponse;

/** Undefined if the record is not a `request` that we wrote. */
export function parseRequest({ fields, block }: WarcRecord): ArchivedRequest | undefined {
  const http = parseHttpHead(block);
  const targetUri = fields.get('warc-target-uri');
  if (fields.get('warc-type') !== 'request' || http === undefined || targetUri === undefined) return undefined;
  const [method = ''] = http.startLine.split(' ', 1);
  return { targetUri, at: dateOf(fields), method, headers: http.headers, body: block.subarray(http.bodyOffset) };
}

/** Undefined if the record is neither a `response` nor a `revisit` that we wrote. */
export function parseResponse({
  fields,
  block,
}: WarcRecord): WholeResponse | HeadersOnlyResponse | RevisitResponse | undefined {
  const http = parseHttpHead(block);
  const line = /^HTTP\/1\.1 (\d{3}) (.*)$/s.exec(http?.startLine ?? '');
  const recordId = fields.get('warc-record-id');
  const targetUri = fields.get('warc-target-uri');
  if (http === undefined || line === null || recordId === undefined || targetUri === undefined) return undefined;
  const head: ArchivedHead = {
    recordId,
    concurrentTo: fields.get('warc-concurrent-to'),
    targetUri,
    at: dateOf(fields),
    status: Number(line[1]),
    statusText: line[2] ?? '',
    headers: http.headers,
    remoteAddress: fields.get('warc-ip-address'),
  };
  const bodySha256 = sha256Of(fields.get('warc-payload-digest'));
  const fileSha256 = sha256Of(fields.get(FILE_DIGEST_FIELD.toLowerCase()));
  switch (fields.get('warc-type')) {
    case 'revisit':
      return bodySha256 === undefined ? undefined : { kind: 'revisit', ...head, bodySha256 };
    case 'response':
      if (fileSha256 !== undefined) {
        const size = Number(fields.get(FILE_LENGTH_FIELD.toLowerCase()));
        return { kind: 'headers_only', ...head, file: { sha256: fileSha256, size } };
      }
      if (bodySha256 === undefined) return undefined;
      return {
        kind: 'whole',
        ...head,
        body: block.subarray(http.bodyOffset),
        bodySha256,
        isWithheld: fields.has(WITHHELD_FIELD.toLowerCase()),
      };
    default:
      return undefined;
  }
}

function dateOf(fields: ReadonlyMap<string, string>): Instant {
  return Date.parse(fields.get('warc-date') ?? '');
}

function sha256Of(digest: string | undefined): string | undefined {
  return digest?.startsWith('sha256:') ? digest.slice('sha256:'.length) : undefined;
}
