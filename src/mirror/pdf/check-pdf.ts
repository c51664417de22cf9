// Whether bytes are a whole PDF, by their structure alone: it catches every truncation and every page served in its place.
// Pure.

/** How much of both ends must be given; less only when the file is shorter. */
export const PDF_EDGE_BYTES = 1024;
/** A smaller file is no judgment. */
const LEAST_PDF_BYTES = 1024;

export interface PdfEdges {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly size: number;
  /** Of the Content-Length field; undefined when there was none, or a content coding. */
  readonly contentLength: number | undefined;
}

/** Why it is none; undefined when it is one. */
export function findPdfFault({ head, tail, size, contentLength }: PdfEdges): string | undefined {
  const start = Buffer.from(head).toString('latin1');
  if (/^\s*(?:<!doctype|<html|<\?xml|<head|<body)/i.test(start.replace(/^\u00ef\u00bb\u00bf/, ''))) {
    return 'it is an HTML page';
  }
  if (!start.startsWith('%PDF')) return 'it does not begin with %PDF';
  if (contentLength !== undefined && size !== contentLength) return `${size} of ${contentLength} bytes came`;
  if (size < LEAST_PDF_BYTES) return `it has ${size} bytes, fewer than ${LEAST_PDF_BYTES}`;
  if (!Buffer.from(tail).subarray(-PDF_EDGE_BYTES).includes('%%EOF')) return 'it does not end with %%EOF';
  return undefined;
}
