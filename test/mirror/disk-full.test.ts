// A disk that gets full: a small tmpfs, where the system lets us mount one.

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../sim/request-log.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { type Files, systemFiles } from '../../src/platform/files.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { FlyingClock } from './flying-clock.ts';
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
  appendFileSync(scratch('small', 'ballast'), Buffer.alloc(Math.max(0, free - freeBytes)));
}

/** The k-th file to get its name takes the last of the room with it. */
function fullAfterFile(k: number): Files {
  let named = 0;
  return {
    ...systemFiles,
    syncDirectory: async (directory) => {
      await systemFiles.syncDirectory(directory);
      if (++named === k) await fill(0);
    },
  };
}

/** Tokens of the cases that requests were about. */
function tokensIn(entries: readonly LogEntry[]): string[] {
  return entries.flatMap(({ token }) => (token === null ? [] : [normalizeActionToken(token)])).sort();
}

const data = () => scratch('small', 'data');

describe('a disk that gets full', () => {
  it.for([
    // Before the k-th file is begun.
    ['the room to be kept is reached', { minFreeMb: '1', freeBytes: 5 * MB, files: systemFiles, unrecorded: [0] }],
    // While it is written, or told to the ledger.
    ['the system says so', { minFreeMb: '0', freeBytes: 4 * MB, files: systemFiles, unrecorded: [0, 1] }],
    // When it has its name already.
    ['the ledger has no room for it', { minFreeMb: '0', freeBytes: 8 * MB, files: fullAfterFile(20), unrecorded: [1] }],
  ] as const)(
    'at file k because %s: k - 1 files are held, the run is aborted, a resume finishes it and fetches nothing twice',
    async ([, { minFreeMb, freeBytes, files, unrecorded }]) => {
      const site = await startSite({ cases: 300 });
      const env = { BAILIIKC_MIN_FREE_MB: minFreeMb };
      // The index and its cases are there before it gets tight.
      await scrape(site, data(), { limit: 1 }, { env });
      await fill(freeBytes);
      const world = { clock: new FlyingClock(), files };
      const summary = await scrape(site, data(), { concurrency: 1 }, { env, world });
      rmSync(scratch('small', 'ballast'));
      expect(summary).toMatchObject({ errorCounts: { disk_full: 1 } });
      expect(await latestRun(data())).toMatchObject({ status: 'aborted' });

      const perfect = perfectFiles(site);
      const wanted = await wantedTokens();
      const held = await tokensOf('downloaded');
      const [kth, ...others] = await tokensOf('failed');
      expect(held.length).toBeGreaterThan(1);
      expect([[...held, kth], others]).toEqual([wanted.slice(0, held.length + 1), []]);
      const there = filesIn(data());
      for (const [token, sha256] of Object.entries(there)) expect([token, sha256]).toEqual([token, perfect[token]]);
      // The k-th may be whole and in its place, without the ledger knowing that it is held.
      const unknown = Object.keys(there).filter((token) => !held.includes(token));
      expect(unrecorded).toContain(unknown.length);
      expect(unknown).toEqual(unknown.map(() => kth));
      expect(readdirSync(scratch('small', 'data', 'pdfs', '.partial', SOURCE))).toEqual([]);

      const before = [site.log.entries.length, site.box.log.entries.length] as const;
      const rest = await scrape(site, data(), { mode: 'resume' }, { env });
      const left = wanted.filter((token) => there[token] === undefined);
      expect(rest).toMatchObject({ errorCounts: {}, downloadsCompleted: left.length + unknown.length });
      expect(filesIn(data())).toEqual(perfect);
      expect(tokensIn(site.log.since(before[0]))).toEqual(left.toSorted());
      expect(tokensIn(site.box.log.since(before[1]))).toEqual(left.toSorted());
    },
  );
});

/** In the order of the worklist. */
function wantedTokens(): Promise<string[]> {
  return look(data(), async ({ mirror }) =>
    (await mirror.cases(SOURCE)).filter((one) => !one.isCriminal).map((one) => one.actionTokenNorm),
  );
}

function tokensOf(status: 'downloaded' | 'failed'): Promise<string[]> {
  return look(data(), async ({ mirror }) =>
    (await mirror.listDownloads({ status, source: SOURCE })).map((one) => one.case.actionTokenNorm),
  );
}
