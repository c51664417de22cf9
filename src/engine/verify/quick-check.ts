// The part of a check that reads no content: SQLite's quick check, the length of every segment, and that of every file.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkFileSize } from '../../archive/check-file.ts';
import { segmentName } from '../../archive/segment-name.ts';
import { FixityLedger } from '../../ledger/fixity/fixity-ledger.ts';
import { LEDGER_FILE } from '../../ledger/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { systemFiles } from '../../platform/files.ts';
import { type Checked, nothingChecked } from './checked.ts';
import { fileFinding } from './file-finding.ts';
import type { Finding } from './finding.ts';
import { assertTables } from './verify-data.ts';
import { replacedFinding } from './verify-exchanges.ts';
import { damagedLedger, lostLedger } from './verify-ledger.ts';
import { judgeSegment, measureSegment } from './verify-segments.ts';

const AT_ONCE = 500;

/** Nothing where nothing is stored. What lies behind the end of a segment is not told: it does no harm. */
export async function* quickCheck(
  path: string,
  clock: Clock,
  checked: Checked = nothingChecked(),
): AsyncGenerator<Finding> {
  const file = join(path, LEDGER_FILE);
  if (!existsSync(file)) {
    if (await holdsSegments(path)) yield lostLedger(file);
    return;
  }
  let ledger: FixityLedger | undefined;
  try {
    ledger = FixityLedger.open(path, clock);
    await assertTables(path, ledger);
    if (ledger.isEmpty) return;
    // A command that was to look at a ledger which was gone has made a new one.
    if (ledger.segmentsAfter(0, undefined, 1).length === 0 && (await holdsSegments(path))) yield lostLedger(file);
    for (const line of ledger.integrity('quick')) yield damagedLedger(file, line);
    checked.ledger = 'quick';
    for (const exchange of ledger.openLosses()) yield replacedFinding(exchange);
    yield* segments(path, ledger, checked);
    yield* files(path, ledger, checked);
  } catch (error) {
    if (!(error instanceof CurlewError) || error.code !== ErrorCode.ledgerCorrupt) throw error;
    yield damagedLedger(file, messageOf(error));
  } finally {
    ledger?.close();
  }
}

async function holdsSegments(path: string): Promise<boolean> {
  const names = await systemFiles.list(join(path, 'archive')).catch(() => []);
  return names.some((name) => name.endsWith('.warc.gz'));
}

async function* segments(path: string, ledger: FixityLedger, { segments: share }: Checked): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const page = ledger.segmentsAfter(after, undefined, AT_ONCE);
    for (const segment of page) {
      const size = await measureSegment(path, segmentName(segment.segment));
      const finding = judgeSegment({ ...segment, isComplete: false }, size);
      share.checked = ++share.total;
      if (finding !== undefined) yield finding;
    }
    after = page.at(-1)?.segment ?? after;
    if (page.length < AT_ONCE) return;
  }
}

async function* files(path: string, ledger: FixityLedger, checked: Checked): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const page = ledger.downloadsAfter(after, undefined, AT_ONCE);
    for (const { filePath, bodySize, run, url: of, id: exchange } of page) {
      const state = await checkFileSize(join(path, 'files', filePath ?? ''), bodySize);
      checked.downloads.checked = ++checked.downloads.total;
      const finding = fileFinding(state, { path: `files/${filePath}`, run, of, exchange });
      if (finding !== undefined) yield finding;
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < AT_ONCE) break;
  }
  yield* mirrorFiles(path, 'pdfs/', checked, (after) => ledger.caseFilesAfter(after, undefined, AT_ONCE));
  yield* mirrorFiles(path, '', checked, (after) => ledger.indexFilesAfter(after, AT_ONCE));
}

async function* mirrorFiles(
  path: string,
  under: string,
  { mirrorFiles: share }: Checked,
  filesAfter: (after: number) => ReturnType<FixityLedger['caseFilesAfter']>,
): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const page = filesAfter(after);
    for (const { path: name, size, run, of } of page) {
      const state = await checkFileSize(join(path, under, name), size);
      share.checked = ++share.total;
      const finding = fileFinding(state, { path: `${under}${name}`, run, of, exchange: undefined });
      if (finding !== undefined) yield finding;
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < AT_ONCE) return;
  }
}
