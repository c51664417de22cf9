// A file that is in its place although no run has said so: a process died between the two. It is taken over when the
// ledger has heard of that very content for that case, and fetched anew when not.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { type MirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import { inspectPdfFile } from '../pdf/pdf-inspector.ts';

const Verified = z.object({ phase: z.literal('verified'), file_sha256: z.string() });

/** What is told before a file gets its name. */
export function verifiedEvent(wanted: StoredCase, { filePath, sizeBytes, sha256 }: VerifiedFile): MirrorEvent {
  return {
    label: 'BOX',
    caseId: wanted.id,
    fields: {
      phase: 'verified',
      token_norm: wanted.actionTokenNorm,
      file_path: filePath,
      file_size_bytes: sizeBytes,
      file_sha256: sha256,
    },
  };
}

/** The file of the case, if it is one that may be taken over. */
export async function findAdoptable(
  ledger: MirrorLedger,
  { pdfs }: MirrorDirectory,
  wanted: StoredCase,
): Promise<VerifiedFile | undefined> {
  const filePath = pdfPathOf(wanted);
  const path = join(pdfs, filePath);
  if (!existsSync(path)) return undefined;
  const { sizeBytes, sha256, fault } = await inspectPdfFile(path);
  if (fault !== undefined) return undefined;
  const verified = (await ledger.eventsOfCase(wanted.id)).flatMap(({ fields }) => {
    const parsed = Verified.safeParse(fields);
    return parsed.success ? [parsed.data.file_sha256] : [];
  });
  return verified.at(-1) === sha256 ? { filePath, sizeBytes, sha256 } : undefined;
}
