// S6 with a disk that is full at the commit: SQLite itself refuses to grow the file.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../src/ledger/database.ts';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { LedgerTables } from '../../src/ledger/ledger-tables.ts';
import { SiteLedger } from '../../src/ledger/sites/site-ledger.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { SiteManager } from '../../src/sites/site-manager.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { pages } from './court-site.ts';
import { openSites, planRun, siteConfig } from './sites-in-ledger.ts';

const scratch = scratchDirectory();
const LIST = 'https://court.example/list';

it('S6: a commit that fails for want of room leaves everything as it was, and is done once when there is some', async () => {
  const clock = new FakeClock();
  const { manager: before, ledger } = await openSites(scratch('data'), clock);
  await before.addSite(siteConfig('court.example'));
  await before.startPagination('court.example', [LIST]);
  const collectedUrls = pages(1, 5_000).map((id) => `https://court.example/case/${id}`);
  await before.updatePaginationState(LIST, { collectedUrls, completed: true });
  const kept = await before.getPartialRun('court.example');

  const database = Database.open(join(scratch('data'), LEDGER_FILE));
  try {
    const sites = new SiteLedger(new LedgerTables(database), clock);
    const manager = new SiteManager({ ledger: sites, planRun });
    const { page_count: full } = database.prepare('PRAGMA page_count').get() ?? {};
    database.prepare(`PRAGMA max_page_count = ${Number(full)}`).get();
    for (let time = 0; time < 3; time++) {
      await expect(manager.commitPartialRun('court.example')).rejects.toMatchObject({ code: 'disk_full' });
      expect(await before.getPartialRun('court.example')).toEqual(kept);
      expect(await ledger.runs(9)).toEqual([]);
    }
    database.prepare('PRAGMA max_page_count = 1000000').get();
    const run = await manager.commitPartialRun('court.example');
    expect(run.items).toBe(5_000);
    expect(await before.getPartialRun('court.example')).toBeUndefined();
    await expect(manager.commitPartialRun('court.example')).rejects.toThrow('No partial run to commit');
    expect(await ledger.runs(9)).toHaveLength(1);
    expect((await ledger.summary(run.id)).requests.pending).toBe(5_000);
  } finally {
    database.close();
  }
});
