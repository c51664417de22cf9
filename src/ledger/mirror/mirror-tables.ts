// The mirror's table families over one database, beside those of the kernel.

import type { LedgerTables } from '../ledger-tables.ts';
import { CaseFactsReader } from './case-facts.ts';
import { CaseFileTable } from './case-file-table.ts';
import { CaseHistoryTable } from './case-history-table.ts';
import { CaseTable } from './case-table.ts';
import { CsvVersionTable } from './csv-version-table.ts';
import { DownloadReport } from './download-report.ts';
import { DownloadTable } from './download-table.ts';
import { IndexCheckTable } from './index-check-table.ts';
import { MirrorEventTable } from './mirror-event-table.ts';
import { MirrorRunTable } from './mirror-run-table.ts';

export class MirrorTables {
  readonly kernel: LedgerTables;
  readonly versions: CsvVersionTable;
  readonly checks: IndexCheckTable;
  readonly cases: CaseTable;
  readonly history: CaseHistoryTable;
  readonly facts: CaseFactsReader;
  readonly files: CaseFileTable;
  readonly runs: MirrorRunTable;
  readonly downloads: DownloadTable;
  readonly report: DownloadReport;
  readonly events: MirrorEventTable;

  constructor(kernel: LedgerTables) {
    const { database } = kernel;
    this.kernel = kernel;
    this.versions = new CsvVersionTable(database);
    this.checks = new IndexCheckTable(database);
    this.cases = new CaseTable(database);
    this.history = new CaseHistoryTable(database);
    this.facts = new CaseFactsReader(database);
    this.files = new CaseFileTable(database);
    this.runs = new MirrorRunTable(database);
    this.downloads = new DownloadTable(database);
    this.report = new DownloadReport(database);
    this.events = new MirrorEventTable(database);
  }
}
