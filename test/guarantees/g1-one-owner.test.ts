// G1: a run is worked on by one process at a time. A second one is refused and told who has it; one that was taken for
// dead and comes back does no harm.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { OWNER_SILENT_MS } from '../../src/ledger/run-ownership.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import {
  type CurlewProcess,
  curlew,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const GRAPH = fileURLToPath(new URL('../fixtures/scrapers/graph.ts', import.meta.url));
const PAGES = 120;

const scratch = scratchDirectory();

/** A run that has done some pages, and now waits for the site to answer eight requests. */
async function ownerAtWork(): Promise<{ court: RunningCourt; owner: CurlewProcess }> {
  const court = closing(await startCourt({ graphPages: PAGES }));
  court.faults.set({ kind: 'hold', path: /^\/graph\/\d\d+$/, count: 8 });
  const owner = startCurlew(runArguments(GRAPH, court, scratch('data')));
  await court.log.arrival(({ path, inFlight }) => /^\/graph\/\d\d+$/.test(path) && inFlight === 8);
  return { court, owner };
}

/** Makes the owner look silent without waiting: it is stopped, and what it last wrote is dated back in the ledger's file. */
async function silence(owner: CurlewProcess): Promise<void> {
  for (;;) {
    owner.kill('SIGSTOP');
    if (dateBack()) return;
    owner.kill('SIGCONT');
    await sleep(20);
  }
}

/** False when the owner was stopped in the middle of a transaction, so that nobody else can write. */
function dateBack(): boolean {
  const sqlite = new DatabaseSync(scratch('data', LEDGER_FILE));
  try {
    sqlite.prepare('UPDATE run_owners SET heartbeat_at = heartbeat_at - ?').run(OWNER_SILENT_MS);
    return true;
  } catch (error) {
    if (messageOf(error).includes('locked')) return false;
    throw error;
  } finally {
    sqlite.close();
  }
}

async function expectAllOnce(): Promise<void> {
  const records = await sortedRecords(scratch('data'));
  expect(records).toHaveLength(2 * PAGES);
  expect(new Set(records).size).toBe(2 * PAGES);
  expect(await checkArchive(scratch('data'))).toBe(PAGES);
}

it('a second process on the same run is refused and told who has it', async () => {
  const { owner } = await ownerAtWork();
  const { code, stdout, stderr } = await curlew(resumeArguments(scratch('data')));
  expect(code).toBe(1);
  expect(stderr).toContain(`Run 1 is being worked on by process ${owner.pid} on `);
  expect(stdout).not.toContain('"completed"');
  // The owner is not disturbed.
  const shown = await curlew(['show', '1', '--json', '--data', scratch('data')]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ run: { status: 'running' }, holder: { pid: owner.pid } });
});

it('the run of a process that is stopped for too long is taken over, and what it brings later is rejected', async () => {
  const { court, owner } = await ownerAtWork();
  await silence(owner);
  const heir = await curlew(resumeArguments(scratch('data')));
  expect(resultIn(heir)).toMatchObject({ exitCode: 0, requests: { done: PAGES, pending: 0 }, records: 2 * PAGES });
  const summary = await curlew(['show', 'latest', '--json', '--data', scratch('data')]);

  // The eight pages it waited for are answered now: the owner wakes up with something to commit.
  await court.close();
  owner.kill('SIGCONT');
  const { code, stderr } = await owner.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('Run 1 was taken over by another process.');
  await expectAllOnce();
  expect((await curlew(['show', 'latest', '--json', '--data', scratch('data')])).stdout).toBe(summary.stdout);
});

it('a process that comes back while its heir is at work disturbs nothing', async () => {
  const { court, owner } = await ownerAtWork();
  await silence(owner);
  const before = court.log.entries.length;
  const held = court.faults.set({ kind: 'hold', after: 9 });
  const heir = startCurlew(resumeArguments(scratch('data')));
  await court.log.arrival(({ n }) => n > before + 9);
  owner.kill('SIGCONT');
  const { code, stderr } = await owner.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('Run 1 was taken over by another process.');
  await court.faults.clear(held);
  expect(resultIn(await heir.ended)).toMatchObject({ exitCode: 0, requests: { done: PAGES }, records: 2 * PAGES });
  await expectAllOnce();
});
