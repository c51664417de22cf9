import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pdfWithText } from '../../../sim/pdf.ts';
import { checkAll, checkOf, type FileRule, type LookAtEnds } from './accept-check.ts';

function refusal(bytes: Uint8Array, ...rules: (FileRule | LookAtEnds)[]): string | undefined {
  const check = checkAll(rules.map(checkOf));
  return check.take(bytes) ?? check.end();
}

describe('a file', () => {
  const html = Buffer.from('\ufeff <!DOCTYPE html><p>Busy</p>');

  it.each<[string, Uint8Array, FileRule, string | undefined]>([
    ['a PDF', pdfWithText('one'), { kind: 'pdf', minBytes: 0 }, undefined],
    ['a small PDF', pdfWithText('one'), { kind: 'pdf', minBytes: 5000 }, 'it has 621 bytes, fewer than 5000'],
    ['half a PDF', pdfWithText('one').subarray(0, 300), { kind: 'pdf', minBytes: 0 }, 'it does not end with %%EOF'],
    ['a page', html, { kind: 'pdf', minBytes: 0 }, 'it is an HTML page'],
    ['a page', html, { kind: 'not_html' }, 'it is an HTML page'],
    ['text', Buffer.from('a,b'), { kind: 'not_html' }, undefined],
    ['text', Buffer.from('a,b'), { kind: 'min_bytes', minBytes: 4 }, 'it has 3 bytes, fewer than 4'],
    ['nothing', Buffer.alloc(0), { kind: 'min_bytes', minBytes: 1 }, 'it has 0 bytes, fewer than 1'],
  ])('that is %s is judged by a rule', (_, bytes, rule, reason) => {
    expect(refusal(bytes, rule)?.replace(/has \d{3} bytes/, 'has 621 bytes')).toBe(reason);
  });

  it('is refused by its first bytes, before the rest has come', () => {
    expect(checkAll([checkOf({ kind: 'pdf', minBytes: 0 })]).take(html)).toBe('it is an HTML page');
  });

  it('must fit all rules', () => {
    const rules: FileRule[] = [{ kind: 'not_html' }, { kind: 'min_bytes', minBytes: 9 }];
    expect(refusal(Buffer.from('short'), ...rules)).toMatch(/fewer than 9/);
    expect(refusal(Buffer.from('long enough'), ...rules)).toBeUndefined();
  });

  it('is shown to a function by its ends, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4000 }), fc.array(fc.nat(4000)), (bytes, cuts) => {
        let seen: [Uint8Array, Uint8Array, number] | undefined;
        const check = checkOf((...ends) => {
          seen = ends;
          return undefined;
        });
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        for (const [index, from] of edges.entries()) check.take(bytes.subarray(from, edges[index + 1]));
        check.end();
        const [first, last, size] = seen ?? [];
        expect(Buffer.from(first ?? [])).toEqual(Buffer.from(bytes.subarray(0, 1024)));
        expect(Buffer.from(last ?? [])).toEqual(Buffer.from(bytes.subarray(-1024)));
        expect(size).toBe(bytes.length);
      }),
    );
  });
});
