// Turns an exchange into its two WARC records, compressed and ready to be placed. Pure but for the record ids: nothing is
// written here, so an exchange can be encoded early and placed when it is committed.

import { hash } from 'node:crypto';
import type { Random } from '../platform/random.ts';
import type { Exchange, ExchangeHead, Header, PayloadDigest, RevisitTarget } from './exchange.ts';
import { BACKGROUND_BYTES, gzipLargeMember, gzipMember, storedMember } from './gzip-member.ts';
import { formatHttpHead, type PayloadShape } from './http-head.ts';
import type { Member } from './member.ts';
import {
  digestValue,
  type Field,
  formatLargeRecord,
  formatRecord,
  IDENTICAL_PAYLOAD,
  REQUEST_TYPE,
  RESPONSE_TYPE,
  recordId,
  warcDate,
} from './warc-record.ts';

/** Two gzip members, of one record each. The body of the exchange may be among their parts: it must not change any more. */
export interface EncodedExchange {
  readonly request: Member;
  readonly response: Member;
}

/** Fields of a headers-only record that say what the whole payload was; the standard has none for it. */
export const FILE_DIGEST_FIELD = 'Curlew-File-Digest';
export const FILE_LENGTH_FIELD = 'Curlew-File-Length';

/** Says why a record has no body although one came. It is a truncated response with an empty payload, and its digest is that. */
export const WITHHELD_FIELD = 'Curlew-Withheld';

const NO_BYTES = new Uint8Array();

/**
 * Request and response with body. At once for small bodies and for those with a content coding, which are not compressed
 * again; a promise for the rest, which are compressed in the thread pool.
 */
export function encodeExchange(exchange: Exchange, random: Random): EncodedExchange | Promise<EncodedExchange> {
  const { body, bodySha256, responseHeaders, withheld } = exchange;
  const capture = newCapture(exchange, random);
  const fields = responseFields('response', exchange, capture, [
    ['WARC-Truncated', withheld && 'unspecified'],
    [WITHHELD_FIELD, withheld],
    ['WARC-Payload-Digest', digestValue(bodySha256)],
  ]);
  const http = responseHead(exchange, { size: body.length, decoded: withheld !== undefined });
  const request = encodeRequest(exchange, capture);
  const isCoded = hasContentCoding(responseHeaders);
  if (body.length < BACKGROUND_BYTES) {
    const record = formatRecord(fields, http, body);
    return { request, response: isCoded ? storedMember([record]) : gzipMember(record) };
  }
  const record = formatLargeRecord(fields, http, body);
  if (isCoded) return { request, response: storedMember(record) };
  return gzipLargeMember(record).then((response) => ({ request, response }));
}

/** As `encodeExchange` for a body that `original` already holds: only the headers are stored, and a reference (§6.7.2). */
export function encodeRevisit(exchange: Exchange, original: RevisitTarget, random: Random): EncodedExchange {
  const capture = newCapture(exchange, random);
  const fields = responseFields('revisit', exchange, capture, [
    ['WARC-Profile', IDENTICAL_PAYLOAD],
    ['WARC-Refers-To-Target-URI', original.targetUri],
    ['WARC-Refers-To-Date', warcDate(original.at)],
    ['WARC-Truncated', 'length'],
    ['WARC-Payload-Digest', digestValue(exchange.bodySha256)],
  ]);
  const record = formatRecord(fields, responseHead(exchange, { size: exchange.body.length }));
  return { request: encodeRequest(exchange, capture), response: storedMember([record]) };
}

/**
 * As `encodeExchange` for a body that was streamed to a file: a truncated response with its headers only. §6.3.2 counts
 * the payload as truncated with the block, and validators check it so: the file's own digest stands in a field of ours.
 */
export function encodeHeadersOnly(head: ExchangeHead, file: PayloadDigest, random: Random): EncodedExchange {
  const capture = newCapture(head, random);
  const fields = responseFields('response', head, capture, [
    ['WARC-Truncated', 'length'],
    [FILE_DIGEST_FIELD, digestValue(file.sha256)],
    [FILE_LENGTH_FIELD, String(file.size)],
  ]);
  const record = formatRecord(fields, responseHead(head, file));
  return { request: encodeRequest(head, capture), response: storedMember([record]) };
}

/** `HTTP/1.1` whatever the version was: there is no registered form for the others. */
export function statusLine(status: number, statusText: string): string {
  return `HTTP/1.1 ${status} ${statusText}`;
}

/** What both records of an exchange have in common. */
interface Capture {
  readonly requestId: string;
  readonly responseId: string;
  readonly date: string;
}

function newCapture(head: ExchangeHead, random: Random): Capture {
  return { requestId: recordId(random.uuid()), responseId: recordId(random.uuid()), date: warcDate(head.at) };
}

function responseHead(head: ExchangeHead, payload: PayloadShape): string {
  return formatHttpHead(statusLine(head.status, head.statusText), head.responseHeaders, payload);
}

function responseFields(
  type: 'response' | 'revisit',
  head: ExchangeHead,
  { requestId, responseId, date }: Capture,
  more: readonly Field[],
): readonly Field[] {
  return [
    ['WARC-Type', type],
    ['WARC-Record-ID', responseId],
    ['WARC-Concurrent-To', requestId],
    ['WARC-Date', date],
    ['WARC-Target-URI', head.targetUri],
    ['WARC-IP-Address', head.remoteAddress],
    ['Content-Type', RESPONSE_TYPE],
    ...more,
  ];
}

/** Requests are so small that compressing them costs far more time than it saves bytes. */
function encodeRequest(head: ExchangeHead, { requestId, responseId, date }: Capture): Member {
  const body = head.requestBody ?? NO_BYTES;
  const { host, target } = splitTarget(head.targetUri);
  const headers: readonly Header[] = head.requestHeaders.some(([name]) => name.toLowerCase() === 'host')
    ? head.requestHeaders
    : [['Host', host], ...head.requestHeaders];
  const http = formatHttpHead(`${head.method} ${target} HTTP/1.1`, headers, { size: body.length });
  const record = formatRecord(
    [
      ['WARC-Type', 'request'],
      ['WARC-Record-ID', requestId],
      ['WARC-Concurrent-To', responseId],
      ['WARC-Date', date],
      ['WARC-Target-URI', head.targetUri],
      ['WARC-IP-Address', head.remoteAddress],
      ['Content-Type', REQUEST_TYPE],
      ['WARC-Payload-Digest', body.length > 0 ? digestValue(hash('sha256', body)) : undefined],
    ],
    http,
    body,
  );
  return storedMember([record]);
}

/** Host and request target of an absolute URL, without the cost of parsing it again. */
function splitTarget(uri: string): { host: string; target: string } {
  const [, host = '', rest = ''] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)([^#]*)/i.exec(uri) ?? [];
  return { host, target: rest.startsWith('/') ? rest : `/${rest}` };
}

function hasContentCoding(headers: readonly Header[]): boolean {
  return headers.some(
    ([name, value]) =>
      name.length === 16 &&
      name.toLowerCase() === 'content-encoding' &&
      value.toLowerCase() !== 'identity' &&
      value !== '',
  );
}
