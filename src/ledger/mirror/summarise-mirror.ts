// What a mirror's run came to, in the terms of all runs: a case is an item, and its download says what became of it. How
// well it did is the mirror's own to judge, and stands in its row.

import type { Database } from '../database.ts';
import type { Run, RunSummary } from '../run.ts';
import { CsvVersionTable } from './csv-version-table.ts';
import { DownloadReport } from './download-report.ts';
import { sayStaleIndex, sayUnreadableRows, staleIndexOf, unreadableIndexOf } from './index-use.ts';
import { MirrorRunTable } from './mirror-run-table.ts';

export function summariseMirror(database: Database, run: Run): RunSummary {
  const { byStatus } = new DownloadReport(database).count(run.id);
  const tables = { runs: new MirrorRunTable(database), versions: new CsvVersionTable(database) };
  const stale = staleIndexOf(tables, run.id);
  const unreadable = unreadableIndexOf(tables, run.id);
  const warnings = [run.error, stale && sayStaleIndex(stale), unreadable && sayUnreadableRows(unreadable)];
  return {
    run: run.id,
    name: run.name,
    status: run.status,
    health: run.health ?? (run.status === 'failed' ? 'failed' : 'partial'),
    requests: {
      done: byStatus.downloaded,
      absent: 0,
      skipped: byStatus.skipped,
      failed: byStatus.failed,
      blocked: 0,
      unknown: 0,
      pending: byStatus.pending + byStatus.in_progress,
    },
    records: 0,
    invalid: 0,
    seconds: Math.round(run.activeMs / 10) / 100,
    coverage: [],
    warnings: warnings.filter((warning) => warning !== undefined),
  };
}
