// A disk that gets full: a small tmpfs, where the system lets us mount one.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../src/platform/errors.ts';
import { systemFiles } from '../../src/platform/files.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { filesIn, latestRun, look, perfectFiles, SOURCE, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const MB = 2 ** 20;
let mounted = false;

beforeEach((context) => {
  mkdirSync(scratch('small'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', scratch('small')], { stdio: 'pipe' });
    mounted = true;
  } catch (error) {
    context.skip(`no tmpfs can be mounted here: ${messageOf(error)}`);
  }
});

afterEach(() => {
  if (mounted) execFileSync('umount', ['-l', scratch('small')]);
  mounted = false;
});

/** Leaves so much free. */
async function fill(freeBytes: number): Promise<void> {
  const free = await systemFiles.freeBytes(scratch('small'));
  writeFileSync(scratch('small', 'ballast'), Buffer.alloc(Math.max(0, free - freeBytes)));
}

describe('a disk that gets full', () => {
  it.for([
    ['the room to be kept is reached', '1', 5 * MB],
    ['the system says so', '0', 4 * MB],
  ] as const)(
    'at file k because %s: k - 1 files are whole, the run is aborted, a resume finishes it',
    async ([, minFreeMb, freeBytes]) => {
      const site = await startSite({ cases: 300 });
      const data = scratch('small', 'data');
      const env = { BAILIIKC_MIN_FREE_MB: minFreeMb };
      // The index and its cases are there before it gets tight.
      await scrape(site, data, { limit: 1 }, { env });
      await fill(freeBytes);
      const summary = await scrape(site, data, { concurrency: 1 }, { env });
      rmSync(scratch('small', 'ballast'));
      const held = await look(data, ({ mirror }) => mirror.listDownloads({ status: 'downloaded', source: SOURCE }));
      expect(held.length).toBeLessThan(Object.keys(perfectFiles(site)).length);
      const perfect = perfectFiles(site);
      const files = filesIn(data);
      for (const [token, sha256] of Object.entries(files)) expect([token, sha256]).toEqual([token, perfect[token]]);
      expect(summary).toMatchObject({ errorCounts: { disk_full: 1 } });
      expect(await latestRun(data)).toMatchObject({ status: 'aborted' });
      expect(held.length).toBeGreaterThan(1);
      // One may be in its place that the ledger had no room to hear of; the resume takes it over.
      expect(Object.keys(files).length - held.length).toBeOneOf([0, 1]);
      expect(readdirSync(scratch('small', 'data', 'pdfs', '.partial', SOURCE))).toEqual([]);
      const rest = await scrape(site, data, { mode: 'resume' }, { env });
      expect(rest).toMatchObject({ errorCounts: {} });
      expect(filesIn(data)).toEqual(perfect);
    },
  );
});
