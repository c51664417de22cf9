// As record-run.ts, for a mirror: `record-mirror.ts ENV DATA OUTPUT`, with the settings of the mirror as JSON.

import { writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { runScrape } from '../../src/mirror/run-scrape.ts';
import type { DiskEvent } from './disk-event.ts';
import { recordSqlite } from './record-sqlite.ts';
import { RecordingDisk } from './recording-disk.ts';

const [env = '', data = '', output = ''] = process.argv.slice(2);

const events: DiskEvent[] = [];
// The run is small, and shall have what large ones have.
recordSqlite(data, events, 60);
const params = {
  mode: 'new',
  targetSource: 'unreported_judgments',
  perDownloadDelayMs: 0,
  maxRetries: 3,
  concurrency: 3,
  resumeStrategy: 'auto',
  dryRun: false,
  limit: undefined,
  trigger: 'cli',
  acceptShrink: false,
} as const;
await runScrape(params, {
  data,
  env: JSON.parse(env),
  fetch: { rate: 'off', allowHosts: ['127.0.0.1'] },
  world: { files: new RecordingDisk(data, events) },
});
writeFileSync(output, serialize(events));
