// An exchange as it may be written down: with references in place of the values of a session, without cookies, and without the
// body where that is a secret. What a step gets has been through here too, so that no record can hold what the archive does not.

import { withheld } from '../../fetch/download.ts';
import type { FetchedExchange, HeaderList } from '../../fetch/outcome.ts';
import { replaceEach } from './replace-each.ts';

const HIDDEN = '***';
/** A shorter text says too little to be a secret, and stands in too many others. */
export const SHORTEST_SECRET = 4;

/** Fields of an answer that hold no secret, where the rest may. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'age',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'retry-after',
  'server',
  'transfer-encoding',
  'vary',
]);
const SECRET_OF_REQUESTS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** A text with placeholders in place of values. */
export type Hide = (text: string) => string;

/** `values` are pairs of what is to be written and what is to be hidden. */
export function hiderOf(values: Iterable<readonly [placeholder: string, value: string]>): Hide {
  const secrets = [...values]
    .filter(([, value]) => value.length >= SHORTEST_SECRET)
    .flatMap(([placeholder, value]) => spellings(value).map((secret) => [secret, placeholder] as const));
  const bySecret = new Map(secrets);
  return (text) => replaceEach(text, bySecret);
}

function spellings(value: string): string[] {
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [...new Set([value, encodeURIComponent(value), form])];
}

/** An exchange of a session: cookies and values are hidden, the body is as it came. `body` is that of the request, unfilled. */
export function hideValues(exchange: FetchedExchange, hide: Hide, body: Uint8Array | undefined): FetchedExchange {
  return {
    ...exchange,
    url: hide(exchange.url),
    requestHeaders: hideFields(exchange.requestHeaders, hide),
    requestBody: exchange.requestBody === undefined ? undefined : body,
    responseHeaders: exchange.responseHeaders.map(([name, value]) => [
      name,
      name.toLowerCase() === 'set-cookie' ? `${value.split('=', 1)[0]}=${HIDDEN}` : hide(value),
    ]),
  };
}

/** An exchange of which only the fact is written down: what opened a session, or told the address of a file. */
export function hideAnswer(exchange: FetchedExchange, hide: Hide, body: Uint8Array | undefined): FetchedExchange {
  const { body: came } = exchange;
  return {
    ...hideValues(exchange, hide, body),
    responseHeaders: exchange.responseHeaders.map(([name, value]) => [
      name,
      HARMLESS.has(name.toLowerCase()) ? hide(value) : HIDDEN,
    ]),
    body: came.kind === 'memory' ? withheld('secret') : came,
  };
}

/** What may be written down of an address that is a key to a file: where it leads, not what opens it. */
export function hideAddress(url: string): string {
  return `${URL.parse(url)?.origin ?? 'http://unknown'}/${HIDDEN}`;
}

/** An address that was not asked for by the author: its query may hold what it was given on the way. */
export function hideQuery(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? url : `${url.slice(0, at)}?${HIDDEN}`;
}

function hideFields(fields: HeaderList, hide: Hide): HeaderList {
  return fields.map(([name, value]) => [name, SECRET_OF_REQUESTS.has(name.toLowerCase()) ? HIDDEN : hide(value)]);
}
