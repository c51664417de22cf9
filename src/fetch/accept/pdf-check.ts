// Looks at a PDF as it goes by, in one pass: whether it is whole. Memory does not grow with it.

import { findPdfFault, PDF_HEAD_BYTES } from './check-pdf.ts';

const END = '%%EOF';
/** What only stands within a PDF. ISO 32000-1 §7.3.10 and §7.5.4. */
const PART = /\d\s+\d+\s+obj\b|\bendobj\b|\bendstream\b|\bstartxref\b/;
/** ISO 32000-1 annex F.3: the first part of a linearized file ends so; its last one names a place. */
const FIRST_PART = /startxref\s+0\s*$/;
/** Longer than anything that is looked for, so that a cut between two chunks hides nothing. */
const SEAM = 64;

export class PdfCheck {
  readonly #minBytes: number;
  #head = Buffer.alloc(0);
  /** The last bytes so far. */
  #seam = Buffer.alloc(0);
  #size = 0;
  #endsAt: number | undefined;
  #goesOn = false;
  #isFirstPart = false;

  /** `minBytes`: a smaller file is refused. */
  constructor(minBytes: number) {
    this.#minBytes = minBytes;
  }

  take(chunk: Uint8Array): void {
    const missing = PDF_HEAD_BYTES + 5 - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    this.#lookForEnd(Buffer.concat([this.#seam, chunk]), this.#size - this.#seam.length);
    this.#size += chunk.length;
  }

  /** Why it is no whole PDF; undefined when it is one. Call it after the last chunk. */
  end(contentLength?: number): string | undefined {
    return findPdfFault({
      head: this.#head,
      size: this.#size,
      minBytes: this.#minBytes,
      contentLength,
      endsAt: this.#endsAt,
      goesOn: this.#goesOn,
      isFirstPart: this.#isFirstPart,
    });
  }

  /** `bytes` begin at `offset` of the file. */
  #lookForEnd(bytes: Buffer, offset: number): void {
    const at = bytes.lastIndexOf(END);
    const endsAt = offset + at + END.length;
    if (at >= 0 && endsAt !== this.#endsAt) {
      this.#endsAt = endsAt;
      this.#goesOn = false;
      this.#isFirstPart = FIRST_PART.test(bytes.toString('latin1', Math.max(0, at - SEAM + END.length), at));
    }
    if (this.#endsAt !== undefined && !this.#goesOn) {
      this.#goesOn = PART.test(bytes.toString('latin1', Math.max(0, this.#endsAt - offset)));
    }
    this.#seam = Buffer.from(bytes.subarray(-SEAM));
  }
}
