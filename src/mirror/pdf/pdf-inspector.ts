// Looks at a PDF as it goes by, in one pass: size, hash, and whether it is whole.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { findPdfFault, PDF_EDGE_BYTES } from './check-pdf.ts';

export interface PdfInspection {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Why it is no whole PDF; undefined when it is one. */
  readonly fault: string | undefined;
}

export class PdfInspector {
  readonly #sha256 = createHash('sha256');
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #size = 0;

  take(chunk: Uint8Array): void {
    this.#sha256.update(chunk);
    this.#size += chunk.length;
    const missing = PDF_EDGE_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-PDF_EDGE_BYTES)]).subarray(-PDF_EDGE_BYTES);
  }

  /** Call it once, after the last chunk. */
  end(contentLength: number | undefined): PdfInspection {
    const fault = findPdfFault({ head: this.#head, tail: this.#tail, size: this.#size, contentLength });
    return { sizeBytes: this.#size, sha256: this.#sha256.digest('hex'), fault };
  }
}

/** Rejects with the system's error when the file cannot be read. */
export async function inspectPdfFile(path: string): Promise<PdfInspection> {
  const inspector = new PdfInspector();
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) inspector.take(chunk);
  return inspector.end(undefined);
}
