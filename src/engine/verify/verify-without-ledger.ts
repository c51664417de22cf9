// What can be checked when the ledger cannot be read: records carry their own digests, and downloads lie under theirs. The
// files of a mirror cannot be: only the ledger knows what they were.

import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFile } from '../../archive/check-file.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import type { Checked } from './checked.ts';
import { fileFinding } from './file-finding.ts';
import type { Finding } from './finding.ts';
import { scanStretch } from './scan-stretch.ts';
import { listSegments, measureSegment, unreadableSegment } from './verify-segments.ts';

export async function* verifyWithoutLedger(data: string, checked: Checked): AsyncGenerator<Finding> {
  const segments = await listSegments(data);
  checked.segments.total = segments.length;
  checked.segments.checked = 0;
  let records = 0;
  const onRecord = () => {
    // A request and a response are one exchange.
    checked.exchanges.checked = checked.exchanges.total = Math.floor(++records / 2);
  };
  for (const { segment, name } of segments) {
    const to = await measureSegment(data, name);
    if (to === 'unreadable') yield unreadableSegment(segment, undefined);
    if (typeof to === 'number')
      yield* scanStretch({ data, segment, run: undefined, from: 0, to, isReferredTo: undefined, onRecord });
    checked.segments.checked++;
  }
  checked.downloads.checked = checked.downloads.total = 0;
  for await (const path of downloadsIn(data)) {
    const [, sha256 = ''] = path.split('/');
    const state = await checkFile(join(data, 'files', path), { sha256, size: undefined });
    checked.downloads.checked = ++checked.downloads.total;
    const finding = fileFinding(state, {
      path: `files/${path}`,
      run: undefined,
      of: 'a download',
      exchange: undefined,
    });
    if (finding !== undefined) yield finding;
  }
}

/** `<first two digits>/<sha256>/<name>`, in no particular order. */
async function* downloadsIn(data: string): AsyncGenerator<string> {
  for await (const two of namesIn(join(data, 'files'))) {
    if (!/^[0-9a-f]{2}$/.test(two)) continue;
    for await (const sha256 of namesIn(join(data, 'files', two))) {
      for await (const name of namesIn(join(data, 'files', two, sha256))) yield `${two}/${sha256}/${name}`;
    }
  }
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(directory)) yield name;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}
