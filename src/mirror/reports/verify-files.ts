// Reads every file again and compares it with the ledger. What is missing, changed or unknown is named.

import { listFiles } from '../../archive/list-files.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { compareFile } from '../held-files.ts';
import type { MirrorDirectory } from '../mirror-directory.ts';

export interface VerifyResult {
  readonly ok: boolean;
  /** Files that the ledger knows, every version of them. */
  readonly checked: number;
  /** Paths under `pdfs/`. */
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Files that the ledger does not know. */
  readonly orphaned: readonly string[];
}

export interface VerifyOptions {
  /** Of every source when none is given. */
  readonly source?: string | undefined;
  readonly onChecked?: (checked: number, total: number) => void;
}

export async function verifyFiles(
  ledger: MirrorLedger,
  { pdfs }: MirrorDirectory,
  { source, onChecked }: VerifyOptions = {},
): Promise<VerifyResult> {
  const held = await ledger.files(source);
  const missing: string[] = [];
  const changed: string[] = [];
  for (const [index, file] of held.entries()) {
    const state = await compareFile(pdfs, file);
    if (state === 'missing') missing.push(file.filePath);
    else if (state !== 'sound') changed.push(file.filePath);
    onChecked?.(index + 1, held.length);
  }
  const known = new Set(held.map(({ filePath }) => filePath));
  const orphaned: string[] = [];
  for await (const path of listFiles(pdfs, source)) if (!known.has(path)) orphaned.push(path);
  const ok = missing.length + changed.length + orphaned.length === 0;
  return { ok, checked: held.length, missing, changed, orphaned };
}
