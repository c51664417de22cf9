// The archive against an oracle: whatever is appended, flushed, committed and torn off by crashes, what was committed reads
// back exactly, and nothing torn is left in front of it.

import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { seededRandom } from '../platform/random.ts';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { cutTails } from './cut-tails.ts';
import { encodeExchange, encodeRevisit } from './encode-exchange.ts';
import type { Exchange, Location, PlacedExchange, SegmentEnd } from './exchange.ts';
import { sampleExchange } from './sample-exchange.ts';
import { segmentName } from './segment-name.ts';

type Action =
  | { readonly kind: 'append'; readonly exchange: Exchange }
  | { readonly kind: 'flush' }
  | { readonly kind: 'flush_on_full_disk'; readonly room: number }
  | { readonly kind: 'crash'; readonly tear: number };

interface Row {
  readonly exchange: Exchange;
  readonly placed: PlacedExchange;
  readonly original: Location | undefined;
}

const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 2, arbitrary: fc.constantFrom('same', 'also the same').map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.nat({ max: 255 }).map((byte) => Buffer.alloc(300_000, byte)) },
);
const headers = fc.array(
  fc.tuple(
    fc.constantFrom('Content-Length', 'Transfer-Encoding', 'Content-Encoding', 'ETag', 'X-Name'),
    fc.string({ maxLength: 20 }).map((value) => value.trim()),
  ),
  { maxLength: 4 },
);
const exchanges = fc.record({ body: bodies, responseHeaders: headers, status: fc.integer({ min: 200, max: 599 }) });
const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: exchanges.map((changes) => ({ kind: 'append' as const, exchange: sampleExchange(changes) })),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.nat({ max: 2000 }).map((room) => ({ kind: 'flush_on_full_disk' as const, room })) },
  {
    weight: 1,
    arbitrary: fc.double({ min: 0, max: 1, noNaN: true }).map((tear) => ({ kind: 'crash' as const, tear })),
  },
);

/** A ledger in miniature: rows are committed only after the flush. */
class World {
  readonly directory: string;
  readonly files = new FaultyFiles(systemFiles);
  readonly random = seededRandom(3);
  readonly committed: Row[] = [];
  readonly segments: SegmentEnd[] = [];
  pending: Row[] = [];
  writer: ArchiveWriter | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** As a run is taken up again: tails are cut, then the new owner writes to segments of its own. */
  async open(): Promise<ArchiveWriter> {
    if (this.writer) return this.writer;
    await cutTails(this.directory, this.segments);
    const allocateSegment = async () => {
      this.segments.push({ segment: this.segments.length + 1, end: 0 });
      return this.segments.length;
    };
    const options = { allocateSegment, files: this.files, random: this.random, segmentBytes: 4000 };
    this.writer = await ArchiveWriter.open(this.directory, options);
    return this.writer;
  }

  async append(exchange: Exchange): Promise<void> {
    const writer = await this.open();
    const original = [...this.committed, ...this.pending].find(
      (row) => row.original === undefined && row.exchange.bodySha256 === exchange.bodySha256,
    );
    const encoded = original
      ? encodeRevisit(exchange, original.exchange, this.random)
      : await encodeExchange(exchange, this.random);
    this.pending.push({ exchange, placed: writer.append(encoded), original: original?.placed.response });
  }

  async flush(room: number): Promise<void> {
    this.files.room = room;
    const flushed = await (await this.open()).flush().then(
      () => true,
      () => false,
    );
    this.files.room = Number.POSITIVE_INFINITY;
    for (const row of flushed ? this.pending : []) {
      this.committed.push(row);
      const { segment, offset, length } = row.placed.response;
      this.segments[segment - 1] = { segment, end: offset + length };
    }
    this.pending = [];
  }

  /** Flushes without committing, then loses any part of what no row refers to. */
  async crash(tear: number): Promise<void> {
    await (await this.open()).flush();
    await this.writer?.close();
    this.writer = undefined;
    this.pending = [];
    for (const { segment, end } of this.segments) {
      const path = join(this.directory, segmentName(segment));
      const size = (await systemFiles.sizeOf(path)) ?? 0;
      if (size > end) await truncate(path, end + Math.floor((size - end) * tear));
    }
  }

  async verify(): Promise<void> {
    const reader = new ArchiveReader(this.directory);
    for (const { exchange, placed, original } of this.committed) {
      const response = await reader.readResponse(placed.response, original);
      expect(response.kind === 'whole' && hash('sha256', response.body)).toBe(exchange.bodySha256);
      expect(response).toMatchObject({ status: exchange.status, headers: exchange.responseHeaders });
      expect((await reader.readRequest(placed.request)).targetUri).toBe(exchange.targetUri);
    }
    await reader.close();
  }

  /** After a fresh start, the files are whole gzip files and hold the committed records and no others. */
  async verifyFiles(): Promise<void> {
    await this.writer?.close();
    this.writer = undefined;
    await (await this.open()).close();
    let responses = 0;
    for (const name of await readdir(this.directory)) {
      const text = gunzipSync(await readFile(join(this.directory, name))).toString('latin1');
      responses += text.match(/^WARC-Type: (response|revisit)\r$/gm)?.length ?? 0;
    }
    expect(responses).toBe(this.committed.length);
  }
}

describe('the archive under crashes and full disks', () => {
  it('reads back exactly what was committed', async () => {
    let committed = 0;
    let revisits = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 10, maxLength: 40 }), async (script) => {
        const directory = await mkdtemp(join(tmpdir(), 'curlew-crash-'));
        const world = new World(directory);
        try {
          for (const action of script) {
            if (action.kind === 'append') await world.append(action.exchange);
            else if (action.kind === 'crash') await world.crash(action.tear);
            else await world.flush(action.kind === 'flush' ? Number.POSITIVE_INFINITY : action.room);
          }
          await world.verify();
          await world.verifyFiles();
          await world.verify();
          committed += world.committed.length;
          revisits += world.committed.filter((row) => row.original).length;
        } finally {
          await world.writer?.close();
          await rm(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: 100 },
    );
    // The scripts must have tried something.
    expect(committed).toBeGreaterThan(100);
    expect(revisits).toBeGreaterThan(10);
  });
});
