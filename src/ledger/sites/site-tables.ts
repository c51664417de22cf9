// The table families of sites over one database.

import type { Database } from '../database.ts';
import { Ownership } from '../run-ownership.ts';
import { CollectedUrlTable } from './collected-url-table.ts';
import { PartialRunTable } from './partial-run-table.ts';
import { ProxyBlockTable } from './proxy-block-table.ts';
import { SiteItemTable } from './site-item-table.ts';
import { SiteMissingTable } from './site-missing-table.ts';
import { SiteTable } from './site-table.ts';
import { WalkEventTable } from './walk-event-table.ts';

export class SiteTables {
  readonly sites: SiteTable;
  readonly ownership: Ownership<string>;
  readonly partialRuns: PartialRunTable;
  readonly collected: CollectedUrlTable;
  readonly events: WalkEventTable;
  readonly items: SiteItemTable;
  readonly missing: SiteMissingTable;
  readonly blocks: ProxyBlockTable;

  constructor(database: Database) {
    const owned = { table: 'site_owners', key: 'site_id', nameOf: (id: string) => `The walk of ${id}` };
    this.sites = new SiteTable(database);
    this.ownership = new Ownership(database, owned);
    this.partialRuns = new PartialRunTable(database);
    this.collected = new CollectedUrlTable(database);
    this.events = new WalkEventTable(database);
    this.items = new SiteItemTable(database);
    this.missing = new SiteMissingTable(database);
    this.blocks = new ProxyBlockTable(database);
  }
}
