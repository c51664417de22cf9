// Looks at a PDF as it goes by, in one pass: size, hash, and whether it is whole.

import { createHash } from 'node:crypto';
import { type Files, systemFiles } from '../../platform/files.ts';
import { findPdfFault, PDF_HEAD_BYTES } from './check-pdf.ts';

export interface PdfInspection {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Why it is no whole PDF; undefined when it is one. */
  readonly fault: string | undefined;
}

const END = '%%EOF';
/** What only stands within a PDF. ISO 32000-1 §7.3.10 and §7.5.4. */
const PART = /\d\s+\d+\s+obj\b|\bendobj\b|\bendstream\b|\bstartxref\b/;
/** ISO 32000-1 annex F.3: the first part of a linearized file ends so; its last one names a place. */
const FIRST_PART = /startxref\s+0\s*$/;
/** Longer than anything that is looked for, so that a cut between two chunks hides nothing. */
const SEAM = 64;
const READ_BYTES = 256 * 1024;

export class PdfInspector {
  readonly #sha256 = createHash('sha256');
  #head = Buffer.alloc(0);
  /** The last bytes so far. */
  #seam = Buffer.alloc(0);
  #size = 0;
  #endsAt: number | undefined;
  #goesOn = false;
  #isFirstPart = false;

  take(chunk: Uint8Array): void {
    this.#sha256.update(chunk);
    const missing = PDF_HEAD_BYTES + 5 - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    this.#lookForEnd(Buffer.concat([this.#seam, chunk]), this.#size - this.#seam.length);
    this.#size += chunk.length;
  }

  /** Call it once, after the last chunk. */
  end(contentLength: number | undefined): PdfInspection {
    const fault = findPdfFault({
      head: this.#head,
      size: this.#size,
      contentLength,
      endsAt: this.#endsAt,
      goesOn: this.#goesOn,
      isFirstPart: this.#isFirstPart,
    });
    return { sizeBytes: this.#size, sha256: this.#sha256.digest('hex'), fault };
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

/** Rejects with the system's error when the file cannot be read. */
export async function inspectPdfFile(path: string, files: Files = systemFiles): Promise<PdfInspection> {
  const inspector = new PdfInspector();
  const file = await files.open(path, 'read');
  try {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    for (let position = 0; ; ) {
      const length = await file.read(chunk, position);
      inspector.take(chunk.subarray(0, length));
      if (length < READ_BYTES) return inspector.end(undefined);
      position += length;
    }
  } finally {
    await file.close();
  }
}
