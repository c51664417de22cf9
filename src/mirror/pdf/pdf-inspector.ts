// Looks at a judgment as it goes by, in one pass: size, hash, and whether it is a whole PDF.

import { createHash } from 'node:crypto';
import { PdfCheck } from '../../fetch/accept/pdf-check.ts';
import { type Files, systemFiles } from '../../platform/files.ts';

export interface PdfInspection {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Why it is no whole PDF; undefined when it is one. */
  readonly fault: string | undefined;
}

/** A smaller file is no judgment. */
const LEAST_BYTES = 1024;
const READ_BYTES = 256 * 1024;

export class PdfInspector {
  readonly #sha256 = createHash('sha256');
  readonly #check = new PdfCheck(LEAST_BYTES);
  #size = 0;

  take(chunk: Uint8Array): void {
    this.#sha256.update(chunk);
    this.#check.take(chunk);
    this.#size += chunk.length;
  }

  /** Call it once, after the last chunk. */
  end(): PdfInspection {
    return { sizeBytes: this.#size, sha256: this.#sha256.digest('hex'), fault: this.#check.end() };
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
      if (length < READ_BYTES) return inspector.end();
      position += length;
    }
  } finally {
    await file.close();
  }
}
