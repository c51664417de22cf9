import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../platform/random.ts';
import { encodeExchange, encodeHeadersOnly, encodeRevisit } from './encode-exchange.ts';
import { BACKGROUND_BYTES } from './gzip-member.ts';
import type { Member } from './member.ts';
import { sampleExchange } from './sample-exchange.ts';
import { parseRecord } from './warc-record.ts';

const random = seededRandom(1);

function open(member: Member) {
  const record = parseRecord(gunzipSync(Buffer.concat(member)));
  if (record === undefined) throw new Error('not a record');
  return { fields: record.fields, block: record.block.toString() };
}

describe('an encoded exchange', () => {
  it('is a request and a response that refer to each other and share their date', async () => {
    const encoded = await encodeExchange(sampleExchange(), random);
    const request = open(encoded.request);
    const response = open(encoded.response);
    expect(request.fields.get('warc-type')).toBe('request');
    expect(response.fields.get('warc-type')).toBe('response');
    expect(request.fields.get('warc-concurrent-to')).toBe(response.fields.get('warc-record-id'));
    expect(response.fields.get('warc-concurrent-to')).toBe(request.fields.get('warc-record-id'));
    expect(response.fields.get('warc-record-id')).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/);
    expect(request.fields.get('warc-date')).toBe('2026-01-02T03:04:05.678Z');
    expect(response.fields.get('warc-date')).toBe('2026-01-02T03:04:05.678Z');
    expect(response.fields.get('warc-ip-address')).toBe('192.0.2.7');
  });

  it('has the digests of its body and of its block', async () => {
    const exchange = sampleExchange();
    const { fields, block } = open((await encodeExchange(exchange, random)).response);
    expect(fields.get('warc-payload-digest')).toBe(`sha256:${exchange.bodySha256}`);
    expect(fields.get('warc-block-digest')).toBe(`sha256:${hash('sha256', block)}`);
  });

  it('writes the request as it was sent, with the Host that the URL names', async () => {
    const exchange = sampleExchange({
      targetUri: 'https://user:secret@court.example:8443/search?q=a%20b#results',
      method: 'POST',
      requestHeaders: [['Content-Type', 'application/json']],
      requestBody: Buffer.from('{"page":2}'),
    });
    expect(open((await encodeExchange(exchange, random)).request).block).toBe(
      'POST /search?q=a%20b HTTP/1.1\r\nHost: court.example:8443\r\nContent-Type: application/json\r\n\r\n{"page":2}',
    );
  });

  it.each([
    ['https://court.example', '/'],
    ['https://court.example?a=1', '/?a=1'],
    ['https://[::1]:80/a/b', '/a/b'],
  ])('asks for the right target of %s', async (targetUri, target) => {
    expect(open((await encodeExchange(sampleExchange({ targetUri }), random)).request).block).toContain(
      `GET ${target} HTTP`,
    );
  });

  it('keeps a Host header that was sent', async () => {
    const exchange = sampleExchange({ requestHeaders: [['host', 'virtual.example']] });
    expect(open((await encodeExchange(exchange, random)).request).block).not.toContain('court.example');
  });

  it('is there at once when the body is small or has a content coding, and later when it is large', async () => {
    const large = Buffer.alloc(BACKGROUND_BYTES, 'the court finds ');
    expect(encodeExchange(sampleExchange(), random)).not.toBeInstanceOf(Promise);
    expect(
      encodeExchange(sampleExchange({ body: large, responseHeaders: [['Content-Encoding', 'br']] }), random),
    ).not.toBeInstanceOf(Promise);
    const pending = encodeExchange(sampleExchange({ body: large }), random);
    expect(pending).toBeInstanceOf(Promise);
    expect(open((await pending).response).block.endsWith(large.toString())).toBe(true);
  });

  it('does not compress a coded body again, and compresses a plain one', async () => {
    const body = 'the court finds '.repeat(100);
    const plain = await encodeExchange(sampleExchange({ body }), random);
    const coded = await encodeExchange(
      sampleExchange({ body, responseHeaders: [['content-encoding', 'gzip']] }),
      random,
    );
    expect(Buffer.concat(plain.response).length).toBeLessThan(body.length);
    expect(Buffer.concat(coded.response).length).toBeGreaterThan(body.length);
  });

  it.each(['br', 'identity'])('has the same record for a large body as for a small one (%s)', async (coding) => {
    const body = 'é'.repeat(BACKGROUND_BYTES);
    const exchange = sampleExchange({ body, responseHeaders: [['Content-Encoding', coding]] });
    const { fields, block } = open((await encodeExchange(exchange, random)).response);
    expect(fields.get('warc-block-digest')).toBe(`sha256:${hash('sha256', block)}`);
    expect(fields.get('warc-payload-digest')).toBe(`sha256:${hash('sha256', body)}`);
    expect(block.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });
});

describe('a revisit', () => {
  it('has the headers and a reference, and no body', () => {
    const exchange = sampleExchange();
    const { fields, block } = open(
      encodeRevisit(exchange, { targetUri: 'https://court.example/old', at: Date.UTC(2025, 0, 1) }, random).response,
    );
    expect(Object.fromEntries(fields)).toMatchObject({
      'warc-type': 'revisit',
      'warc-profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
      'warc-refers-to-target-uri': 'https://court.example/old',
      'warc-refers-to-date': '2025-01-01T00:00:00.000Z',
      'warc-truncated': 'length',
      'warc-payload-digest': `sha256:${exchange.bodySha256}`,
    });
    expect(block).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: .*\r\nContent-Length: 39\r\n\r\n$/);
  });
});

describe('a record with headers only', () => {
  it('is marked as truncated, and claims no payload digest that its own bytes do not have', () => {
    const file = { sha256: 'ab'.repeat(32), size: 5_000_000_000 };
    const head = sampleExchange({ responseHeaders: [['Content-Length', '5000000000']] });
    const { fields, block } = open(encodeHeadersOnly(head, file, random).response);
    expect(fields.get('warc-truncated')).toBe('length');
    expect(fields.get('warc-payload-digest')).toBeUndefined();
    expect(fields.get('curlew-file-digest')).toBe(`sha256:${file.sha256}`);
    expect(fields.get('curlew-file-length')).toBe('5000000000');
    expect(block).toBe('HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n');
  });
});
