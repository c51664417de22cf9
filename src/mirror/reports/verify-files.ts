// Reads every file again and compares it with the ledger. What is missing, changed or unknown is named.

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import { compareFile } from '../held-files.ts';
import { type MirrorDirectory, PARTIAL } from '../mirror-directory.ts';

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
  for await (const path of listPdfs(pdfs, source)) if (!known.has(path)) orphaned.push(path);
  const ok = missing.length + changed.length + orphaned.length === 0;
  return { ok, checked: held.length, missing, changed, orphaned };
}

/** Everything under `pdfs/` that is no directory, with `/` between its parts; without files that are being written. */
export async function* listPdfs(pdfs: string, source: string | undefined): AsyncGenerator<string> {
  for (const name of await namesIn(pdfs, source ?? '')) {
    const path = source === undefined ? name : `${source}/${name}`;
    if (path !== PARTIAL) yield* listUnder(pdfs, path);
  }
}

/** In the order of the names. One directory at a time is in memory. */
async function* listUnder(pdfs: string, path: string): AsyncGenerator<string> {
  const stat = await lstat(join(pdfs, path)).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    yield path;
    return;
  }
  for (const name of await namesIn(pdfs, path)) yield* listUnder(pdfs, `${path}/${name}`);
}

async function namesIn(pdfs: string, path: string): Promise<string[]> {
  try {
    return (await readdir(join(pdfs, path))).sort();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
