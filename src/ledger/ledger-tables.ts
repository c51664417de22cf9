// All table families over one database.

import { CountTable } from './count-table.ts';
import { CoverageTable } from './coverage/coverage-table.ts';
import type { Database } from './database.ts';
import { EventTable } from './event-table.ts';
import { ExchangeTable } from './exchange-table.ts';
import { HostTable } from './host-table.ts';
import { JudgementTable } from './judgement-table.ts';
import { RecordTable } from './record-table.ts';
import { RequestTable } from './request-table.ts';
import { RunOwnership } from './run-ownership.ts';
import { RunTable } from './run-table.ts';
import { SeedTable } from './seed-table.ts';
import { SiteTables } from './sites/site-tables.ts';
import { WalkTable } from './walk-table.ts';

export class LedgerTables {
  readonly database: Database;
  readonly runs: RunTable;
  readonly ownership: RunOwnership;
  readonly seeds: SeedTable;
  readonly hosts: HostTable;
  readonly requests: RequestTable;
  readonly counts: CountTable;
  readonly exchanges: ExchangeTable;
  readonly records: RecordTable;
  readonly events: EventTable;
  readonly walks: WalkTable;
  readonly judgements: JudgementTable;
  readonly sites: SiteTables;
  readonly coverage: CoverageTable;

  constructor(database: Database) {
    this.database = database;
    this.runs = new RunTable(database);
    this.ownership = new RunOwnership(database);
    this.seeds = new SeedTable(database);
    this.hosts = new HostTable(database);
    this.requests = new RequestTable(database);
    this.counts = new CountTable(database);
    this.exchanges = new ExchangeTable(database);
    this.records = new RecordTable(database);
    this.events = new EventTable(database);
    this.walks = new WalkTable(database);
    this.judgements = new JudgementTable(database);
    this.sites = new SiteTables(database);
    this.coverage = new CoverageTable(database);
  }
}
