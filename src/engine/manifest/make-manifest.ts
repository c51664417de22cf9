// The entries of a manifest: the hash of each segment as it is, and of each file as it was when it was downloaded. A file that
// has changed since is not listed, so that no damage is ever signed.

import { join } from 'node:path';
import { checkFile, hashFile } from '../../archive/check-file.ts';
import type { FixityLedger } from '../../ledger/fixity/fixity-ledger.ts';
import { type Held, listHeld } from './list-held.ts';
import type { ManifestEntry } from './manifest-line.ts';

export type Made =
  | ({ readonly kind: 'entry' } & ManifestEntry)
  | Extract<Held, { kind: 'left_out' | 'damaged' | 'unknown' }>;

const PROBLEMS = {
  missing: 'it is missing',
  size: 'it has another length than it had',
  unreadable: 'it is not a file that can be read',
  damaged: 'it has other bytes than it had',
} as const;

export async function* makeManifest(data: string, ledger: FixityLedger): AsyncGenerator<Made> {
  for await (const held of listHeld(data, ledger)) {
    switch (held.kind) {
      case 'segment':
        yield { kind: 'entry', path: held.path, sha256: await hashFile(join(data, held.path)) };
        break;
      case 'file': {
        const { path, sha256 } = held;
        const state = await checkFile(join(data, path), held);
        yield state === 'sound' ? { kind: 'entry', path, sha256 } : { kind: 'damaged', path, why: PROBLEMS[state] };
        break;
      }
      case 'left_out':
      case 'damaged':
      case 'unknown':
        yield held;
    }
  }
}
