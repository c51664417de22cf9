import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PdfCheck } from './pdf-check.ts';

const BODY = `${'4 0 obj\n<< /Length 5 >>\nstream\nhello\nendstream\nendobj\n'.repeat(40)}xref\n0 1\ntrailer\n<< /Size 1 >>\n`;
const PDF = Buffer.from(`%PDF-1.7\n${BODY}startxref\n2100\n%%EOF\n`);
const UPDATE = Buffer.from(`${BODY}startxref\n4300\n%%EOF\n`);
const LINEARIZED = Buffer.from(
  `%PDF-1.7\n1 0 obj <</Linearized 1>> endobj\n${BODY}startxref\n0\n%%EOF\n${BODY}startxref\n116\n%%EOF\n`,
);

function faultOf(bytes: Uint8Array, contentLength: number | undefined = undefined): string | undefined {
  const inspector = new PdfCheck(1024);
  inspector.take(bytes);
  return inspector.end(contentLength);
}
const behind = (text: string | Buffer, pdf = PDF) => Buffer.concat([Buffer.from(text), pdf]);
const followedBy = (text: string | Buffer, pdf = PDF) => Buffer.concat([pdf, Buffer.from(text)]);

describe('a PDF', () => {
  it.each([
    ['as it should be', PDF],
    ['with zeros behind it', followedBy(Buffer.alloc(600))],
    ['with more than a kilobyte behind it', followedBy('\n'.repeat(5_000))],
    ['with a page behind it', followedBy(`<!-- served in 12 ms -->\n<script>${'x'.repeat(9_000)}</script>`)],
    ['with half a megabyte behind it', followedBy(Buffer.alloc(2 ** 19, 32))],
    ['with a byte order mark before it', behind('\ufeff')],
    ['with a blank line before it', behind('\r\n')],
    ['with a notice of the server before it', behind(`<br />\n<b>Notice</b>: ${'x'.repeat(900)}`)],
    ['with 1,023 bytes before it', behind('x'.repeat(1_023))],
    ['with an update', Buffer.concat([PDF, UPDATE])],
    ['with two updates and rubbish behind it', followedBy('\0'.repeat(2_000), Buffer.concat([PDF, UPDATE, UPDATE]))],
    ['that is made to be shown as it comes', LINEARIZED],
  ])('%s is one', (_, bytes) => {
    expect(faultOf(bytes, bytes.length)).toBeUndefined();
  });

  it.each([
    ['a page served in its place', Buffer.from(`<!DOCTYPE html>${' '.repeat(2000)}`), 'it is an HTML page'],
    ['a page with a byte order mark', Buffer.from(`\ufeff\n<html>${' '.repeat(2000)}`), 'it is an HTML page'],
    ['a page about a PDF', behind('<!doctype html><pre>'), 'it is an HTML page'],
    ['an empty file', Buffer.alloc(0), 'it has no %PDF within its first 1024 bytes'],
    ['JSON', Buffer.from(`{"error":1}${' '.repeat(2000)}`), 'it has no %PDF within its first 1024 bytes'],
    ['one behind 1,024 other bytes', behind('x'.repeat(1_024)), 'it has no %PDF within its first 1024 bytes'],
    ['a tiny one', Buffer.from('%PDF-1.7\n%%EOF\n'), 'it has 15 bytes, fewer than 1024'],
    ['one without an end', PDF.subarray(0, PDF.lastIndexOf('%%EOF')), 'it does not end with %%EOF'],
    ['one with too much behind it', followedBy(Buffer.alloc(2 ** 20 + 2)), 'more than 1048576 bytes follow its %%EOF'],
    [
      'the first part of one',
      LINEARIZED.subarray(0, LINEARIZED.indexOf('%%EOF') + 6),
      expect.stringContaining('first part'),
    ],
  ])('is not %s', (_, bytes, fault) => {
    expect(faultOf(bytes)).toEqual(fault);
  });

  it('is not one that is shorter or longer than was said', () => {
    expect(faultOf(PDF, PDF.length + 1)).toBe(`${PDF.length} of ${PDF.length + 1} bytes came`);
  });

  it('is not one that was cut anywhere', () => {
    fc.assert(
      fc.property(fc.nat({ max: PDF.lastIndexOf('%%EOF') + 4 }), (length) => {
        expect(faultOf(PDF.subarray(0, length))).toBeTypeOf('string');
      }),
    );
  });

  it.each([
    ['in an update', Buffer.concat([PDF, UPDATE]), PDF.length + '4 0 obj'.length],
    ['in a second update', Buffer.concat([PDF, UPDATE, UPDATE]), PDF.length + UPDATE.length + '4 0 obj'.length],
    ['in its second part', LINEARIZED, LINEARIZED.indexOf('%%EOF') + 6],
  ])('is not one that was cut %s, although there is an %%%%EOF before', (_, whole, from) => {
    const last = whole.lastIndexOf('%%EOF') + 4;
    fc.assert(
      fc.property(fc.integer({ min: from, max: last }), (length) => {
        expect(faultOf(whole.subarray(0, length))).toBeTypeOf('string');
      }),
    );
  });

  it('is judged alike in whatever pieces it comes', () => {
    const file = fc.constantFrom(
      PDF,
      Buffer.concat([PDF, UPDATE]),
      LINEARIZED,
      followedBy('%%EO'.repeat(500)),
      behind('\ufeff'),
    );
    fc.assert(
      fc.property(
        file,
        fc.array(fc.nat({ max: 6_000 }), { maxLength: 60 }),
        fc.nat({ max: 6_000 }),
        (pdf, cuts, length) => {
          const bytes = pdf.subarray(0, length);
          const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const inspector = new PdfCheck(1024);
          for (const [index, from] of edges.entries()) inspector.take(bytes.subarray(from, edges[index + 1]));
          const whole = new PdfCheck(1024);
          whole.take(bytes);
          expect(inspector.end()).toEqual(whole.end());
        },
      ),
      { numRuns: 300 },
    );
  });
});
