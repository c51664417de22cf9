// Requests and answers as plain values. A handler is a function from one to the other and never touches a socket,
// so that every fault can be applied to every page.

import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';

export interface SimRequest {
  readonly method: string;
  readonly pathname: string;
  /** The part after `?`, without it; empty when there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole body as text; empty when there is none. */
  readonly body: string;
}

/** A body too large to hold: its length is known, its bytes are made when they are sent. */
export interface StreamedBody {
  readonly length: number;
  chunks(): Iterable<Buffer>;
}

export interface Reply {
  readonly status: number;
  /** Lower-case names. Content-Length is added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | StreamedBody;
}

/** `quirk` names the way in which it is to answer wrongly, if a fault of that kind strikes. */
export type Handler = (request: SimRequest, quirk?: string) => Reply;

export type ExtraHeaders = Readonly<Record<string, string>>;

export function htmlReply(status: number, body: string, headers: ExtraHeaders = {}): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function jsonReply(status: number, value: unknown, headers: ExtraHeaders = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(value)}\n` };
}

export function textReply(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** A short HTML page that says what the status says. */
export function statusReply(status: number, headers: ExtraHeaders = {}): Reply {
  const phrase = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  return htmlReply(status, `<!doctype html>\n<title>${phrase}</title>\n<h1>${phrase}</h1>\n`, headers);
}

/** The reply with validators, or 304 without a body if the request shows that it has this very version. */
export function conditionalReply(request: SimRequest, reply: Reply, lastModifiedMs: number): Reply {
  const bytes = bytesOf(reply.body);
  // Weak, because the same page may be sent with different content codings (RFC 9110 §8.8.3.3).
  const etag = `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  const validators = { etag, 'last-modified': new Date(lastModifiedMs).toUTCString() };
  if (isUnchanged(request.headers, etag, lastModifiedMs)) return { status: 304, headers: validators, body: '' };
  return { ...reply, headers: { ...reply.headers, ...validators } };
}

function isUnchanged(headers: IncomingHttpHeaders, etag: string, lastModifiedMs: number): boolean {
  // RFC 9110 §13.2.2: If-Modified-Since is looked at only when there is no If-None-Match.
  const known = headers['if-none-match'];
  if (known !== undefined) return known === '*' || known.split(/\s*,\s*/).includes(etag);
  return lastModifiedMs <= Date.parse(headers['if-modified-since'] ?? '');
}

function bytesOf(body: Reply['body']): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : Buffer.concat([...body.chunks()]);
}
