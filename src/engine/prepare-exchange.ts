// An exchange made ready for the archive: encoded, hashed, and known to be a repetition or not. What is left for the
// commit is to place the bytes.

import { hash } from 'node:crypto';
import { type EncodedExchange, encodeExchange, encodeHeadersOnly, encodeRevisit } from '../archive/encode-exchange.ts';
import type { ExchangeHead, PlacedExchange } from '../archive/exchange.ts';
import type { FetchedExchange } from '../fetch/outcome.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { NewExchange } from '../ledger/page-result.ts';
import type { Random } from '../platform/random.ts';

type PlaceFields = 'segment' | 'requestOffset' | 'requestLength' | 'responseOffset' | 'responseLength';

export interface PreparedExchange {
  /** A promise only for large bodies, which are compressed in the thread pool. Whoever places the bytes hears if it fails. */
  readonly encoded: EncodedExchange | Promise<EncodedExchange>;
  readonly facts: Omit<NewExchange, PlaceFields>;
}

export type FindBody = (sha256: Uint8Array) => StoredExchange | undefined;

export function prepareExchange(exchange: FetchedExchange, findBody: FindBody, random: Random): PreparedExchange {
  const { body, at, durationMs, url, status } = exchange;
  const head = headOf(exchange);
  const common = { at, durationMs, url, status };
  if (body.kind === 'file') {
    const bodySha256 = Buffer.from(body.sha256, 'hex');
    const facts = { ...common, bodySha256, bodySize: body.size, filePath: body.path, revisitOf: undefined };
    return { encoded: encodeHeadersOnly(head, body, random), facts };
  }
  const sha256 = hash('sha256', body.encoded);
  const bodySha256 = Buffer.from(sha256, 'hex');
  const whole = { ...head, body: body.encoded, bodySha256: sha256 };
  const known = body.encoded.length === 0 ? undefined : findBody(bodySha256);
  const facts = {
    ...common,
    bodySha256,
    bodySize: body.encoded.length,
    filePath: undefined,
    revisitOf: known?.id,
  };
  if (known !== undefined) {
    return { encoded: encodeRevisit(whole, { targetUri: known.url, at: known.at }, random), facts };
  }
  const encoded = encodeExchange(whole, random);
  // Nobody waits for it yet: without this, its failure would end the process before it is awaited.
  if (encoded instanceof Promise) encoded.catch(() => {});
  return { encoded, facts };
}

/** The row of an exchange whose bytes have their place. */
export function placeExchange(facts: PreparedExchange['facts'], { request, response }: PlacedExchange): NewExchange {
  return {
    ...facts,
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
