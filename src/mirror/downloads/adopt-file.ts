// A file that is in its place although no run has said so: a process died between the two. It is taken over when the
// ledger has heard of that very content for that case, and fetched anew when not.

import { join } from 'node:path';
import { z } from 'zod';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { Mode } from '../../ledger/mirror/mirror-run.ts';
import type { Files } from '../../platform/files.ts';
import { type MirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import { inspectPdfFile } from '../pdf/pdf-inspector.ts';

const Verified = z.object({
  phase: z.literal('verified'),
  file_sha256: z.string(),
  file_path: z.string().optional(),
  file_version: z.int().default(1),
});

/** What is told before a file gets its name. */
export function verifiedEvent(wanted: StoredCase, { filePath, sizeBytes, sha256, version }: VerifiedFile): MirrorEvent {
  return {
    label: 'BOX',
    caseId: wanted.id,
    fields: {
      phase: 'verified',
      token_norm: wanted.actionTokenNorm,
      file_path: filePath,
      file_size_bytes: sizeBytes,
      file_sha256: sha256,
      file_version: version,
    },
  };
}

/** The file of the case that was checked last, if no version is known of it and it may be taken over. */
export async function findAdoptable(
  ledger: MirrorLedger,
  { pdfs }: MirrorDirectory,
  files: Files,
  wanted: StoredCase,
  mode: Mode,
): Promise<VerifiedFile | undefined> {
  const checked = (await ledger.eventsOfCase(wanted.id)).flatMap(({ fields }) => {
    const parsed = Verified.safeParse(fields);
    return parsed.success ? [parsed.data] : [];
  });
  const last = checked.at(-1);
  if (last === undefined) return undefined;
  const { file_version: version, file_path: filePath = pdfPathOf(wanted) } = last;
  const held = (await ledger.factsOfCase(wanted.id))?.held;
  // A full run is to ask the court about everything that is held.
  if (held !== undefined && (held.version >= version || mode === 'full')) return undefined;
  const path = join(pdfs, filePath);
  if ((await files.sizeOf(path)) === undefined) return undefined;
  const { sizeBytes, sha256, fault } = await inspectPdfFile(path, files);
  if (fault !== undefined || sha256 !== last.file_sha256) return undefined;
  return { version, filePath, sizeBytes, sha256, etag: null, lastModified: null };
}
