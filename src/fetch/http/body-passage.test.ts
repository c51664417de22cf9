import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DecodingPassage, type Flow, type Passage, PlainPassage, type Write } from './body-passage.ts';

const KB = 1024;
const text = (length: number, letter: string) => Buffer.alloc(length, letter);

const unexpected = (error: unknown) => expect.fail(String(error));

/** A tap that writes down how it was turned. */
function tap(): Flow & { readonly turns: string[] } {
  const turns: string[] = [];
  return { turns, pause: () => turns.push('pause'), resume: () => turns.push('resume') };
}

/** Both ways to a sink; `encode` makes of a body what comes off the wire. */
const WAYS = [
  [
    'as it is',
    (write: Write, flow: Flow, fail: (error: unknown) => void) => new PlainPassage(write, flow, fail),
    (body: Buffer) => body,
  ],
  [
    'through a decoder',
    (write: Write, flow: Flow, fail: (error: unknown) => void) =>
      new DecodingPassage(['gzip'], 2 ** 20, write, flow, fail),
    (body: Buffer) => gzipSync(body),
  ],
] as const;

describe.for(WAYS)('a body that is passed on %s', ([, open, encode]) => {
  it('comes whole and in order, one chunk at a time', async () => {
    const written: Uint8Array[] = [];
    let busy = 0;
    const passage: Passage = open(
      async (chunk) => {
        expect(++busy).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        written.push(chunk);
        busy--;
      },
      tap(),
      unexpected,
    );
    const body = Buffer.concat(['a', 'b', 'c'].map((letter) => text(50 * KB, letter)));
    const encoded = encode(body);
    for (let at = 0; at < encoded.length; at += 7_000) passage.push(encoded.subarray(at, at + 7_000));
    await passage.finish();
    expect(Buffer.concat(written).equals(body)).toBe(true);
  });

  it('ends with what the sink failed with, told at once, and nothing is written after it', async () => {
    const full = new Error('the disk is full');
    const failures: unknown[] = [];
    let writes = 0;
    const passage = open(
      async () => {
        writes++;
        throw full;
      },
      tap(),
      (error) => failures.push(error),
    );
    passage.push(encode(text(KB, 'a')));
    await expect.poll(() => failures).toEqual([full]);
    await expect(passage.finish()).rejects.toBe(full);
    expect(writes).toBe(1);
  });

  it('that is cancelled is not written any further', async () => {
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let writes = 0;
    const passage = open(
      async () => {
        writes++;
        begun.resolve();
        await first.promise;
      },
      tap(),
      () => {},
    );
    const encoded = encode(text(300 * KB, 'a'));
    passage.push(encoded.subarray(0, encoded.length / 2));
    passage.push(encoded.subarray(encoded.length / 2));
    await begun.promise;
    passage.cancel();
    first.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toBe(1);
  });
});

describe('a body without codings', () => {
  it('holds the wire back while its sink is 64 KB behind, and lets it go on then', async () => {
    const flow = tap();
    const chunks: PromiseWithResolvers<void>[] = [];
    const write = () => {
      const chunk = Promise.withResolvers<void>();
      chunks.push(chunk);
      return chunk.promise;
    };
    const passage = new PlainPassage(write, flow, unexpected);
    passage.push(text(40 * KB, 'a'));
    expect(flow.turns).toEqual([]);
    passage.push(text(40 * KB, 'b'));
    passage.push(text(40 * KB, 'c'));
    expect(flow.turns).toEqual(['pause']);
    for (const expected of [['pause'], ['pause', 'resume']]) {
      await expect.poll(() => chunks.length).toBeGreaterThan(0);
      chunks.shift()?.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      expect(flow.turns).toEqual(expected);
    }
    chunks.shift()?.resolve();
    await passage.finish();
    expect(flow.turns).toEqual(['pause', 'resume']);
  });

  it('leaves nothing behind that only a full garbage collection takes away', () => {
    const bodies = 10_000;
    // Streams left 5 KB for each body, which a mirror of small files gathered to a hundred MB.
    expect(promotedBytes(bodies) / bodies).toBeLessThan(500);
  });
});

/** What V8 takes from the young to the old objects while so many small bodies pass, in a process of its own. */
function promotedBytes(bodies: number): number {
  const program = `
    import { PlainPassage } from ${JSON.stringify(new URL('body-passage.ts', import.meta.url).href)};
    const flow = { pause() {}, resume() {} };
    for (let i = 0; i < ${bodies}; i++) {
      const passage = new PlainPassage(async () => {}, flow, () => {});
      passage.push(Buffer.alloc(2_000));
      await passage.finish();
      await new Promise(setImmediate);
    }`;
  const args = ['--no-warnings', '--trace-gc-nvp', '--input-type=module-typescript', '-e', program];
  const promoted = [...execFileSync(process.execPath, args, { encoding: 'utf8' }).matchAll(/ promoted=(\d+)/g)];
  expect(promoted.length).toBeGreaterThan(5);
  return promoted.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
