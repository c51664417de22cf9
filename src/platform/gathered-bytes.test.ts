import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeBytes, GatheredBytes } from './gathered-bytes.ts';

describe('gathered bytes', () => {
  it('are the pieces one after the other, also those that are views of one buffer', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(70_000), { maxLength: 4 }), { maxLength: 8 }), (reads) => {
        const length = reads.flat().reduce((sum, size) => sum + size, 0);
        const gathered = new GatheredBytes(length);
        const expected = Buffer.alloc(length);
        let at = 0;
        for (const sizes of reads) {
          // What came off a wire together, with a byte between the pieces that does not count.
          const read = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size + 1, 0)).fill(255);
          let from = 0;
          for (const size of sizes) {
            const piece = read.subarray(from, from + size).fill(at % 251);
            expected.set(piece, at);
            gathered.push(piece);
            from += size + 1;
            at += size;
          }
        }
        expect(gathered.length).toBe(length);
        expect(Buffer.compare(gathered.take(), expected)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('hold no piece but the latest, whose buffer may still be written to', () => {
    const gathered = new GatheredBytes(300_000);
    const [first, second] = [Buffer.allocUnsafeSlow(100_000), Buffer.allocUnsafeSlow(200_000)];
    gathered.push(first);
    gathered.push(second.subarray(0, 50));
    gathered.push(second.subarray(50, 100));
    expect([first.length, second.length, gathered.length]).toEqual([0, 200_000, 100_100]);
  });

  it('never free what small buffers share', () => {
    const [one, other] = [Buffer.from('one'), Buffer.from('other')];
    freeBytes(one);
    expect([one.toString(), other.toString()]).toEqual(['one', 'other']);
  });

  it('are gone when they are not wanted, at once', () => {
    const gathered = new GatheredBytes(2 ** 21);
    gathered.push(Buffer.allocUnsafeSlow(2 ** 20));
    const all = gathered.take();
    gathered.free();
    expect(all.length).toBe(0);
  });
});
