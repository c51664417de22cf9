// Whether bytes are a whole PDF, by their structure alone: what readers open is accepted, and every page served in its place
// and every truncation is refused, also one after an update that left an earlier %%EOF behind. Pure.

/** Readers look for the header within this many bytes, and pass over what stands before it. */
export const PDF_HEAD_BYTES = 1024;
/** Readers rebuild a file with any amount of rubbish behind it; more than this is taken for another file. */
const MOST_BYTES_AFTER = 2 ** 20;

export interface PdfFacts {
  /** The first bytes, as many as `PDF_HEAD_BYTES` and the header; fewer only when the file is shorter. */
  readonly head: Uint8Array;
  readonly size: number;
  /** A smaller file is refused. */
  readonly minBytes: number;
  /** Of the Content-Length field; undefined when there was none, or a content coding. */
  readonly contentLength: number | undefined;
  /** Where the last %%EOF ends; undefined when there is none. */
  readonly endsAt: number | undefined;
  /** Whether parts of a PDF follow that. */
  readonly goesOn: boolean;
  /** Whether that is the end of the first part of a file that is made to be shown as it comes. */
  readonly isFirstPart: boolean;
}

/** Why it is none; undefined when it is one. */
export function findPdfFault(facts: PdfFacts): string | undefined {
  const { head, size, minBytes, contentLength, endsAt, goesOn, isFirstPart } = facts;
  const start = Buffer.from(head).toString('latin1');
  if (isHtml(start)) return 'it is an HTML page';
  const header = start.search(/^%PDF|%PDF-\d/);
  if (header < 0 || header >= PDF_HEAD_BYTES) return `it has no %PDF within its first ${PDF_HEAD_BYTES} bytes`;
  if (contentLength !== undefined && size !== contentLength) return `${size} of ${contentLength} bytes came`;
  if (size < minBytes) return `it has ${size} bytes, fewer than ${minBytes}`;
  if (endsAt === undefined) return 'it does not end with %%EOF';
  if (goesOn) return 'it is cut off: parts of a PDF follow its last %%EOF';
  if (isFirstPart) return 'it is cut off: its last %%EOF is that of its first part';
  if (size - endsAt > MOST_BYTES_AFTER) return `more than ${MOST_BYTES_AFTER} bytes follow its %%EOF`;
  return undefined;
}

/** Whether a file that begins with these bytes, a character for each, is a page. */
export function isHtml(start: string): boolean {
  return /^\s*(?:<!doctype|<html|<\?xml|<head|<body)/i.test(start.replace(/^\u00ef\u00bb\u00bf/, ''));
}
