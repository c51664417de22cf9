// What the state of a file means to a person.

import type { FileState } from '../../archive/check-file.ts';
import type { ExchangeId } from '../../ledger/page-result.ts';
import type { RunId } from '../../ledger/run.ts';
import type { Finding } from './finding.ts';

export interface CheckedFile {
  readonly path: string;
  readonly run: RunId | undefined;
  readonly of: string;
  readonly exchange: ExchangeId | undefined;
}

const PROBLEMS = {
  missing: { kind: 'file_missing', says: 'is missing' },
  size: { kind: 'file_size', says: 'has another length than it had' },
  unreadable: {
    kind: 'file_unreadable',
    says: 'is not a file that can be read: a directory, a pipe or a broken link lies there, or this user may not read it',
  },
  damaged: { kind: 'file_damaged', says: 'has other bytes than it had: its SHA-256 is another' },
} as const;

/** Undefined when the file is sound. */
export function fileFinding(state: FileState, file: CheckedFile): Finding | undefined {
  if (state === 'sound') return undefined;
  const { kind, says } = PROBLEMS[state];
  const remedy =
    state === 'unreadable'
      ? 'Make it readable for this user, or move away what lies there; then check again.'
      : 'Restore it from a backup, or download it again.';
  return { kind, ...file, problem: `${file.path} (${file.of}) ${says}`, remedy };
}
