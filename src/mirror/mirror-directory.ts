// Where a mirror keeps its things within a data directory. A file's path depends on its case and nothing else: two cases
// with one title do not meet, and a pipeline finds a file again.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { PARTIAL } from '../archive/list-files.ts';
import type { StoredCase } from '../ledger/mirror/case-row.ts';

export interface MirrorDirectory {
  /** The data directory itself. */
  readonly path: string;
  /** Versions of indexes. */
  readonly csv: string;
  readonly pdfs: string;
  /** Files that are being written; beside the others, so that they can be renamed. */
  readonly partial: string;
  /** What came for a case and is no PDF. */
  readonly quarantine: string;
  readonly logs: string;
  readonly replayFixtures: string;
}

export function mirrorDirectory(path: string): MirrorDirectory {
  const pdfs = join(path, 'pdfs');
  return {
    path,
    csv: join(path, 'csv'),
    pdfs,
    partial: join(pdfs, PARTIAL),
    quarantine: join(path, 'quarantine'),
    logs: join(path, 'logs'),
    replayFixtures: join(path, 'replay_fixtures'),
  };
}

/** Most file systems take 255 bytes. */
const LONGEST_STEM = 200;

/**
 * Where a version of the file of a case is, under `pdfs/`: `<source>/<token>.pdf`, later ones `<source>/<token>.v2.pdf` and
 * so on. A token has no full stop; one too long for a name ends in its hash.
 */
export function pdfPathOf(
  { source, actionTokenNorm: token }: Pick<StoredCase, 'source' | 'actionTokenNorm'>,
  version = 1,
): string {
  const stem =
    token.length <= LONGEST_STEM ? token : `${token.slice(0, LONGEST_STEM)}-${hash('sha256', token).slice(0, 16)}`;
  return `${source}/${stem}${version === 1 ? '' : `.v${version}`}.pdf`;
}
