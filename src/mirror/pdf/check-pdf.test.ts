import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPdfFault } from './check-pdf.ts';
import { PdfInspector } from './pdf-inspector.ts';

const PDF = Buffer.from(`%PDF-1.7\n${'0 0 obj\n'.repeat(400)}startxref\n9\n%%EOF\n`);

function faultOf(bytes: Buffer, contentLength: number | undefined = undefined): string | undefined {
  return findPdfFault({
    head: bytes.subarray(0, 1024),
    tail: bytes.subarray(-1024),
    size: bytes.length,
    contentLength,
  });
}

describe('a PDF', () => {
  it('is one when both ends and the length are right', () => {
    expect(faultOf(PDF, PDF.length)).toBeUndefined();
    expect(faultOf(Buffer.concat([PDF, Buffer.alloc(600)]))).toBeUndefined();
  });

  it.each([
    ['a page served in its place', Buffer.from(`<!DOCTYPE html>${' '.repeat(2000)}`), 'it is an HTML page'],
    ['a page with a byte order mark', Buffer.from(`\ufeff\n<html>${' '.repeat(2000)}`), 'it is an HTML page'],
    ['an empty file', Buffer.alloc(0), 'it does not begin with %PDF'],
    ['JSON', Buffer.from(`{"error":1}${' '.repeat(2000)}`), 'it does not begin with %PDF'],
    ['a tiny one', Buffer.from('%PDF-1.7\n%%EOF\n'), 'it has 15 bytes, fewer than 1024'],
  ])('is not %s', (_, bytes, fault) => {
    expect(faultOf(bytes)).toBe(fault);
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

  it('is judged alike in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: PDF.length })), fc.nat({ max: PDF.length }), (cuts, length) => {
        const bytes = PDF.subarray(0, length);
        const inspector = new PdfInspector();
        const edges = [0, ...cuts.filter((cut) => cut < length).sort((a, b) => a - b), length];
        for (const [index, from] of edges.entries()) inspector.take(bytes.subarray(from, edges[index + 1]));
        const whole = new PdfInspector();
        whole.take(bytes);
        // The last piece runs from the end to the end, and is empty.
        const inspection = inspector.end(undefined);
        expect(inspection).toEqual(whole.end(undefined));
        expect(inspection.fault).toBe(faultOf(bytes));
      }),
    );
  });
});
