// Exchanges for tests, with digests that fit. Only tests import this.

import { hash } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** A page of a court's website; `changes` replace single properties, and the digest follows the body. */
export function sampleExchange(
  changes: Partial<Omit<Exchange, 'body' | 'bodySha256'>> & { body?: string | Uint8Array } = {},
): Exchange {
  const body = Buffer.from(changes.body ?? '<!doctype html><h1>State v. Miller</h1>');
  return {
    targetUri: 'https://court.example/case/1?view=full',
    at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    method: 'GET',
    requestHeaders: [['User-Agent', 'curlew/0.1.0']],
    requestBody: undefined,
    status: 200,
    statusText: 'OK',
    responseHeaders: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Length', String(body.length)],
    ],
    remoteAddress: '192.0.2.7',
    ...changes,
    body,
    bodySha256: hash('sha256', body),
  };
}
