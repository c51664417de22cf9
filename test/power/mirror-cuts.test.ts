// As power-cuts.test.ts, for a mirror: its files, versions of its index, and its ledger.

import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/platform/random.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { envOf, filesIn, perfectFiles, scrape, startSite } from '../mirror/scrape-setup.ts';
import { findingsIn, quickFiles, statusIn, withoutSync } from './after-crash.ts';
import { DiskHistory, writeState } from './crash-state.ts';

const STATES = 40;

const scratch = scratchDirectory();
withoutSync();

it('a mirror holds every file after a power cut at any moment and another run', async () => {
  const site = await startSite({ cases: 40 });
  const program = fileURLToPath(new URL('record-mirror.ts', import.meta.url));
  const output = scratch('events');
  await promisify(execFile)(process.execPath, [program, JSON.stringify(envOf(site)), scratch('recorded'), output]);
  expect(filesIn(scratch('recorded'))).toEqual(perfectFiles(site));
  const history = new DiskHistory(deserialize(await readFile(output)));
  let completed = 0;
  for (let seed = 1; seed <= STATES; seed++) {
    const random = seededRandom(seed);
    const at = seed % 5 === 0 ? history.length : Math.floor((1 - random.next() ** 2) * history.length);
    const data = scratch(`state-${seed}`);
    await writeState(data, history.crashState(at, random));
    const where = `seed ${seed}, before event ${at} of ${history.length}`;
    const status = await statusIn(data);
    if (at === history.length) expect(status, where).toBe('completed');
    if (status === 'completed') {
      completed++;
      expect(filesIn(data), where).toEqual(perfectFiles(site));
    }
    // What the ledger knows is there, whether the run has ended or not.
    if (status !== undefined) expect(await lostIn(data), where).toEqual([]);
    const world = { files: quickFiles };
    if (status !== undefined) await scrape(site, data, { mode: 'resume' }, { world });
    await scrape(site, data, {}, { world });
    expect(filesIn(data), where).toEqual(perfectFiles(site));
    expect(await findingsIn(data), where).toEqual([]);
    await rm(data, { recursive: true, maxRetries: 3 });
  }
  expect(completed).toBeGreaterThan(STATES / 6);
});

/** A file in its place that the ledger does not know yet is no loss: the next run takes it over. */
async function lostIn(data: string): Promise<string[]> {
  return (await findingsIn(data)).filter((finding) => !finding.startsWith('file_orphaned'));
}
