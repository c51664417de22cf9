// An exchange made ready for the archive: encoded, hashed, and known to be a repetition or not. What is left for the
// commit is to place the bytes.

import { hash } from 'node:crypto';
import { type EncodedExchange, encodeExchange, encodeHeadersOnly, encodeRevisit } from '../archive/encode-exchange.ts';
import type { Exchange, ExchangeHead, PlacedExchange } from '../archive/exchange.ts';
import type { FetchedExchange } from '../fetch/outcome.ts';
import type { ExchangeId, NewExchange } from '../ledger/page-result.ts';
import type { Random } from '../platform/random.ts';
import type { KnownBodies, KnownBody } from './known-bodies.ts';

type PlaceFields = 'segment' | 'requestOffset' | 'requestLength' | 'responseOffset' | 'responseLength';
type BodyFields = 'revisitOf' | 'replaces';

/** The bytes of an exchange, and where its body is. */
export interface EncodedBody extends Pick<NewExchange, BodyFields> {
  readonly bytes: EncodedExchange;
}

export interface PreparedExchange {
  /**
   * A promise only for large bodies, which are compressed in the thread pool, and for those that are stored already, which
   * are read back first. Whoever places the bytes hears if it fails.
   */
  readonly encoded: EncodedBody | Promise<EncodedBody>;
  readonly facts: Omit<NewExchange, PlaceFields | BodyFields>;
}

export function prepareExchange(
  exchange: FetchedExchange,
  bodies: Pick<KnownBodies, 'find'>,
  random: Random,
): PreparedExchange {
  const { body, at, durationMs, url, status } = exchange;
  const head = headOf(exchange);
  const common = { at, durationMs, url, status };
  if (body.kind === 'file') {
    const bodySha256 = Buffer.from(body.sha256, 'hex');
    const facts = { ...common, bodySha256, bodySize: body.size, filePath: body.path };
    return { encoded: holding(encodeHeadersOnly(head, body, random)), facts };
  }
  const sha256 = hash('sha256', body.encoded);
  const bodySha256 = Buffer.from(sha256, 'hex');
  const whole = { ...head, body: body.encoded, bodySha256: sha256, withheld: body.withheld };
  const known = body.encoded.length === 0 ? undefined : bodies.find(bodySha256);
  const encoded =
    known instanceof Promise ? known.then((one) => encode(whole, one, random)) : encode(whole, known, random);
  // Nobody waits for it yet: without this, its failure would end the process before it is awaited.
  if (encoded instanceof Promise) encoded.catch(() => {});
  return { encoded, facts: { ...common, bodySha256, bodySize: body.encoded.length, filePath: undefined } };
}

function encode(whole: Exchange, known: KnownBody | undefined, random: Random): EncodedBody | Promise<EncodedBody> {
  if (known?.kind === 'whole') {
    const { id, url: targetUri, at } = known.exchange;
    return { bytes: encodeRevisit(whole, { targetUri, at }, random), revisitOf: id, replaces: undefined };
  }
  const bytes = encodeExchange(whole, random);
  return bytes instanceof Promise ? bytes.then((ready) => holding(ready, known?.id)) : holding(bytes, known?.id);
}

/** An exchange that holds its body itself; it takes the place of one that does no longer. */
function holding(bytes: EncodedExchange, replaces?: ExchangeId): EncodedBody {
  return { bytes, revisitOf: undefined, replaces };
}

/** The row of an exchange whose bytes have their place. */
export function placeExchange(
  facts: PreparedExchange['facts'],
  { revisitOf, replaces }: EncodedBody,
  { request, response }: PlacedExchange,
): NewExchange {
  return {
    ...facts,
    revisitOf,
    replaces,
    segment: response.segment,
    requestOffset: request.offset,
    requestLength: request.length,
    responseOffset: response.offset,
    responseLength: response.length,
  };
}

function headOf({ url: targetUri, ...exchange }: FetchedExchange): ExchangeHead {
  const { at, method, requestHeaders, requestBody, status, statusText, responseHeaders, remoteAddress } = exchange;
  return { targetUri, at, method, requestHeaders, requestBody, status, statusText, responseHeaders, remoteAddress };
}
