// Compares a data directory with a manifest of it: what is missing, what has changed, what is new, and what
// lies there that the ledger does not know.

import { resolve, sep } from 'node:path';
import { checkFile } from '../../archive/check-file.ts';
import type { FixityLedger } from '../../ledger/fixity/fixity-ledger.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { listHeld } from './list-held.ts';
import { type ManifestEntry, parseManifestLine } from './manifest-line.ts';

export type Difference = { readonly kind: 'missing' | 'changed' | 'new' | 'unknown'; readonly path: string };

/** `onChecked` is told of each line that was looked at. */
export async function* checkManifest(
  data: string,
  ledger: FixityLedger,
  entries: readonly ManifestEntry[],
  onChecked: () => void,
): AsyncGenerator<Difference> {
  const root = resolve(data);
  for (const { path, sha256 } of entries) {
    const file = resolve(root, path);
    const isInside = file.startsWith(root + sep);
    const state = isInside ? await checkFile(file, { sha256, size: undefined }) : 'missing';
    onChecked();
    if (state !== 'sound') yield { kind: state === 'missing' ? 'missing' : 'changed', path };
  }
  const listed = new Set(entries.map(({ path }) => path));
  for await (const { kind, path } of listHeld(data, ledger)) {
    if (kind === 'left_out' || kind === 'damaged' || listed.has(path)) continue;
    yield { kind: kind === 'unknown' ? kind : 'new', path };
  }
}

/** Throws `usage` when a line is not one of a manifest. */
export function readManifest(text: string, name: string): ManifestEntry[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => {
    const entry = parseManifestLine(line);
    if (entry !== undefined) return entry;
    throw new CurlewError(ErrorCode.usage, `${name} is not a manifest: line ${index + 1} is not one of sha256sum.`, {
      remedy: 'Name a file that curlew manifest has written.',
    });
  });
}
