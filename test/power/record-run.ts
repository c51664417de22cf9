// A process of its own that runs a scraper and writes down all that it has asked of the disk: `record-run.ts URL DATA OUTPUT
// DURABILITY`. Of its own, so that it is dead when its run is resumed.

import { writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { run } from '../../src/engine/run.ts';
import type { Durability } from '../../src/ledger/database.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { DiskEvent } from './disk-event.ts';
import { recordSqlite } from './record-sqlite.ts';
import { RecordingDisk } from './recording-disk.ts';
import { SmallSiteScraper, smallSiteOptions } from './small-site.ts';

const [url = '', data = '', output = '', durability = 'process'] = process.argv.slice(2);

const events: DiskEvent[] = [];
recordSqlite(data, events, durability === 'power' ? 40 : undefined);

// The run is small, and shall have what large ones have.
let looks = 0;
Object.defineProperty(Ledger.prototype, 'needsCheckpoint', { get: () => ++looks % 6 === 0 });

const options = { ...smallSiteOptions(url), durability: durability as Durability };
const { status } = await run(new SmallSiteScraper(), {
  ...options,
  data,
  world: { disk: new RecordingDisk(data, events) },
}).summary;
if (status !== 'completed') throw new Error(`The run has ended as ${status}`);
writeFileSync(output, serialize(events));
