import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFiles } from './files.ts';
import { seededRandom } from './random.ts';
import { readAhead } from './read-ahead.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-ahead-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a file that is read in blocks', () => {
  it('gives the same bytes as the file itself, also those that were added meanwhile', async () => {
    const path = join(directory, 'file');
    let content = Buffer.from(seededRandom(1).hex(300_000), 'latin1');
    await writeFile(path, content);
    const file = await readAhead(systemFiles).open(path, 'read');
    const piece = fc.tuple(fc.nat(700_000), fc.oneof(fc.nat(3_000), fc.nat(400_000)), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 10 }), async (pieces) => {
        for (const [position, length, more] of pieces) {
          const target = Buffer.alloc(length);
          const read = await file.read(target, position);
          expect(target.subarray(0, read).equals(content.subarray(position, position + length))).toBe(true);
          const added = Buffer.alloc(more, 'x');
          await appendFile(path, added);
          content = Buffer.concat([content, added]);
        }
      }),
      { numRuns: 50 },
    );
    await file.close();
  });

  it('reads a block once for many small pieces', async () => {
    const path = join(directory, 'file');
    await writeFile(path, Buffer.alloc(100_000, 'x'));
    let reads = 0;
    const counted = {
      ...systemFiles,
      open: async (name: string, mode: 'read' | 'write') => {
        const file = await systemFiles.open(name, mode);
        const read = file.read.bind(file);
        file.read = (...args) => {
          reads++;
          return read(...args);
        };
        return file;
      },
    };
    const file = await readAhead(counted).open(path, 'read');
    const pieces = Array.from({ length: 50 }, (_, n) => file.read(Buffer.alloc(1_000), n * 1_000));
    expect(await Promise.all(pieces)).toEqual(new Array(50).fill(1_000));
    expect(reads).toBe(1);
    await file.close();
  });
});
