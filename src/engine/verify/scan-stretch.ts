// Bytes of a segment that no row refers to. The record about the file itself belongs there; anything else is told.

import { join } from 'node:path';
import { scanMembers } from '../../archive/scan-members.ts';
import { segmentName } from '../../archive/segment-name.ts';
import type { RunId } from '../../ledger/run.ts';
import { systemFiles } from '../../platform/files.ts';
import type { Finding } from './finding.ts';

export interface StretchToScan {
  /** The data directory. */
  readonly data: string;
  readonly segment: number;
  readonly run: RunId | undefined;
  readonly from: number;
  readonly to: number;
  /** Whether a row refers to the record that begins there. Undefined where rows cannot be read. */
  readonly isReferredTo: ((offset: number) => boolean) | undefined;
  readonly onRecord?: () => void;
}

export async function* scanStretch(stretch: StretchToScan): AsyncGenerator<Finding> {
  const { data, segment, run, from, to, isReferredTo, onRecord } = stretch;
  const path = `archive/${segmentName(segment)}`;
  const file = await systemFiles.open(join(data, path), 'read');
  try {
    for await (const found of scanMembers(file, from, to)) {
      const { offset, length } = found;
      const place = { segment, path, run, offset, length };
      if (found.kind === 'unknown') {
        const problem = `${length} bytes at byte ${offset} of ${path} are no record`;
        yield { kind: 'bytes_unknown', ...place, problem, remedy: `Restore ${path} from a backup.` };
        continue;
      }
      onRecord?.();
      // Rows may come in another order than their bytes; what they refer to is looked at with them.
      if (isReferredTo?.(offset)) continue;
      const url = found.record.fields.get('warc-target-uri');
      const what = `The ${found.record.fields.get('warc-type')} at byte ${offset} of ${path}`;
      if (found.kind === 'digest') {
        const problem = `${what} ${found.problem}`;
        yield { kind: 'record_damaged', ...place, url, problem, remedy: `Restore ${path} from a backup.` };
      } else if (isReferredTo !== undefined && url !== undefined) {
        const problem = `${what} is sound, and no row of the ledger refers to it`;
        yield {
          kind: 'record_orphaned',
          ...place,
          url,
          problem,
          remedy: 'A row was lost: restore ledger.sqlite from a backup.',
        };
      }
    }
  } finally {
    await file.close();
  }
}
