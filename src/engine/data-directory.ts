// One directory holds all of Curlew's data: the ledger, the archive beside it, and downloaded files.

import { join } from 'node:path';
import { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import { type Files, systemFiles } from '../platform/files.ts';

export interface DataDirectory {
  readonly path: string;
  readonly ledger: Ledger;
  /** WARC segments. */
  readonly archive: string;
  /** Downloads. */
  readonly files: string;
  /** How the two are written and read. */
  readonly disk: Files;
}

export interface DataOptions {
  readonly clock: Clock;
  /** For looking only: the directory must exist. */
  readonly readOnly?: boolean;
  /** Default: the real one. */
  readonly disk?: Files | undefined;
}

export async function openData(path: string, options: DataOptions): Promise<DataDirectory> {
  const ledger = await Ledger.open(path, options);
  const { disk = systemFiles } = options;
  return { path, ledger, archive: join(path, 'archive'), files: join(path, 'files'), disk };
}
