// What a file must be, checked as it goes by: rules and functions, which must all hold.

import type { FileCheck } from '../download.ts';
import { isHtml } from './check-pdf.ts';
import { PdfCheck } from './pdf-check.ts';

/** Readers look for what a file is within so many bytes. */
const END_BYTES = 1024;

/** A rule, in plain data. */
export type FileRule =
  | { readonly kind: 'pdf'; readonly minBytes: number }
  | { readonly kind: 'min_bytes'; readonly minBytes: number }
  | { readonly kind: 'not_html' };

/** Gives why a file with such ends is refused; undefined when it is accepted. */
export type LookAtEnds = (first: Uint8Array, last: Uint8Array, size: number) => string | undefined;

export function checkOf(one: FileRule | LookAtEnds): FileCheck {
  if (typeof one === 'function') return new EndsCheck(one);
  switch (one.kind) {
    case 'pdf': {
      const pdf = new PdfCheck(one.minBytes);
      const page = new EndsCheck(noHtml);
      return {
        take: (chunk) => {
          pdf.take(chunk);
          return page.take(chunk);
        },
        end: () => pdf.end(),
      };
    }
    case 'min_bytes':
      return new EndsCheck((_first, _last, size) =>
        size < one.minBytes ? `it has ${size} bytes, fewer than ${one.minBytes}` : undefined,
      );
    case 'not_html':
      return new EndsCheck(noHtml);
  }
}

/** One check of several. */
export function checkAll(checks: readonly FileCheck[]): FileCheck {
  const first = (ask: (check: FileCheck) => string | undefined) => {
    const [refused] = checks.map(ask).filter((reason) => reason !== undefined);
    return refused;
  };
  return { take: (chunk) => first((check) => check.take(chunk)), end: () => first((check) => check.end()) };
}

const noHtml: LookAtEnds = (first) =>
  isHtml(Buffer.from(first).toString('latin1')) ? 'it is an HTML page' : undefined;

class EndsCheck implements FileCheck {
  readonly #look: LookAtEnds;
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  #size = 0;

  constructor(look: LookAtEnds) {
    this.#look = look;
  }

  take(chunk: Uint8Array): string | undefined {
    const isBegun = this.#first.length >= END_BYTES;
    if (!isBegun) this.#first = Buffer.concat([this.#first, chunk.subarray(0, END_BYTES - this.#first.length)]);
    const tail = chunk.length >= END_BYTES ? [chunk] : [this.#last, chunk];
    this.#last = Buffer.from(Buffer.concat(tail).subarray(-END_BYTES));
    this.#size += chunk.length;
    // By its beginning alone a page is known, and it would be a waste to wait for its end.
    return !isBegun && this.#look === noHtml ? noHtml(this.#first, this.#last, this.#size) : undefined;
  }

  end(): string | undefined {
    return this.#look(this.#first, this.#last, this.#size);
  }
}
