// The archive is read here by Webrecorder's warcio, a library that we did not write.

import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser, type WARCRecord } from 'warcio';
import { systemRandom } from '../platform/random.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { encodeExchange, encodeHeadersOnly, encodeRevisit } from './encode-exchange.ts';
import { BACKGROUND_BYTES } from './gzip-member.ts';
import { sampleExchange } from './sample-exchange.ts';

interface Seen {
  readonly record: WARCRecord;
  readonly payload: Uint8Array;
  readonly offset: number;
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-foreign-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function readAll(name: string): Promise<Seen[]> {
  const parser = new WARCParser(createReadStream(join(directory, name)));
  const seen: Seen[] = [];
  for await (const record of parser) {
    const { offset } = parser;
    seen.push({ record, payload: await record.readFully(false), offset });
  }
  return seen;
}

const plain = sampleExchange();
const coded = sampleExchange({
  targetUri: 'https://court.example/coded',
  body: gzipSync('<h1>coded</h1>'),
  responseHeaders: [
    ['Content-Encoding', 'gzip'],
    ['Transfer-Encoding', 'chunked'],
  ],
});
const large = sampleExchange({
  targetUri: 'https://court.example/large',
  body: Buffer.alloc(2 * BACKGROUND_BYTES, 'long '),
});
const empty = sampleExchange({ targetUri: 'https://court.example/none', body: '', status: 404, statusText: '' });
const posted = sampleExchange({ method: 'POST', requestBody: Buffer.from('a=1'), body: 'posted' });
const whole = [plain, coded, large, empty, posted];

async function writeSamples(): Promise<readonly { offset: number }[]> {
  const writer = await ArchiveWriter.open(directory, { allocateSegment: async () => 1 });
  const placed = [];
  for (const exchange of whole) placed.push(writer.append(await encodeExchange(exchange, systemRandom)));
  placed.push(writer.append(encodeRevisit(plain, plain, systemRandom)));
  placed.push(writer.append(encodeHeadersOnly(plain, { sha256: 'ab'.repeat(32), size: 10 ** 10 }, systemRandom)));
  await writer.flush();
  await writer.close();
  return placed.flatMap(({ request, response }) => [request, response]);
}

describe('warcio', () => {
  it('finds every record, of the right type and at the offset that the writer said', async () => {
    const placed = await writeSamples();
    const seen = await readAll('curlew-00000001.warc.gz');
    expect(seen.map(({ record }) => record.warcType)).toEqual([
      'warcinfo',
      ...whole.flatMap(() => ['request', 'response']),
      ...['request', 'revisit', 'request', 'response'],
    ]);
    expect(seen.slice(1).map(({ offset }) => offset)).toEqual(placed.map(({ offset }) => offset));
  });

  it('reads the bodies, and their digests agree', async () => {
    await writeSamples();
    const responses = (await readAll('curlew-00000001.warc.gz')).filter(({ record }) => record.warcType === 'response');
    for (const [n, exchange] of whole.entries()) {
      const { record, payload } = responses[n] ?? expect.fail('a response is missing');
      expect(Buffer.from(payload).equals(exchange.body)).toBe(true);
      expect(record.warcPayloadDigest).toBe(`sha256:${hash('sha256', payload)}`);
      expect(record.warcTargetURI).toBe(exchange.targetUri);
      expect(record.getResponseInfo()?.status).toBe(exchange.status);
    }
  });

  it('takes the content coding off by itself, undisturbed by the chunks that are gone', async () => {
    await writeSamples();
    for await (const record of new WARCParser(createReadStream(join(directory, 'curlew-00000001.warc.gz')))) {
      if (record.warcType === 'response' && record.warcTargetURI === coded.targetUri) {
        expect(await record.contentText()).toBe('<h1>coded</h1>');
        return;
      }
    }
    expect.fail('the response is missing');
  });

  it('sees the revisit and what it refers to', async () => {
    await writeSamples();
    const revisit = (await readAll('curlew-00000001.warc.gz')).find(({ record }) => record.warcType === 'revisit');
    expect(revisit?.record.warcRefersToTargetURI).toBe(plain.targetUri);
    expect(revisit?.record.warcRefersToDate).toBe('2026-01-02T03:04:05.678Z');
    expect(revisit?.record.warcPayloadDigest).toBe(`sha256:${plain.bodySha256}`);
    expect(revisit?.record.httpHeaders?.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(revisit?.payload).toHaveLength(0);
  });
});

describe.skipIf(process.platform === 'win32')('gzip', () => {
  it('finds nothing wrong with a segment', async () => {
    await writeSamples();
    for (const name of await readdir(directory)) await promisify(execFile)('gzip', ['-t', join(directory, name)]);
  });
});
