// One directory holds all of Curlew's data: the ledger, the archive beside it, and downloaded files.

import { join } from 'node:path';
import { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';

export interface DataDirectory {
  readonly path: string;
  readonly ledger: Ledger;
  /** WARC segments. */
  readonly archive: string;
  /** Downloads. */
  readonly files: string;
}

export interface DataOptions {
  readonly clock: Clock;
  /** For looking only: the directory must exist. */
  readonly readOnly?: boolean;
}

export async function openData(path: string, options: DataOptions): Promise<DataDirectory> {
  const ledger = await Ledger.open(path, options);
  return { path, ledger, archive: join(path, 'archive'), files: join(path, 'files') };
}
