// Every call to the disk fails once: the n-th of each kind, with each error, for every n that there is. The run goes on or ends
// with an error that says what to do, and a resume without the fault comes to what an undisturbed run comes to.

import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { segmentName } from '../../src/archive/segment-name.ts';
import { resume, run } from '../../src/engine/run.ts';
import type { RunSummary } from '../../src/ledger/run.ts';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { type Fault, FaultyFiles, FILE_OPERATIONS, type FileOperation } from '../../src/platform/faulty-files.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { FlyingClock } from '../mirror/flying-clock.ts';
import { filesIn, perfectFiles, scrape, startSite } from '../mirror/scrape-setup.ts';
import { findingsIn, type Outcome, outcomeOf, quickFiles, statusIn, withoutSync } from './after-crash.ts';
import { DiskHistory, writeState } from './crash-state.ts';
import type { DiskEvent } from './disk-event.ts';
import { type SmallSite, SmallSiteScraper, smallSiteOptions, startSmallSite } from './small-site.ts';

const scratch = scratchDirectory();
withoutSync();

let site: SmallSite;
let whole: Outcome;

beforeAll(async () => {
  site = await startSmallSite();
  return () => site.close();
});

beforeEach(async () => {
  whole = await outcomeOf(scratch('undisturbed'), await begin(scratch('undisturbed'), quickFiles));
});

function begin(data: string, disk: typeof quickFiles): Promise<RunSummary> {
  return run(new SmallSiteScraper(), { ...smallSiteOptions(site.url), data, world: { disk } }).summary;
}

function goOn(data: string, disk: typeof quickFiles): Promise<RunSummary> {
  return resume(new SmallSiteScraper(), { data, run: 1, world: { disk } }).summary;
}

/** The faults of one operation, until one is not reached. Gives how many were. */
async function failEach(
  operation: FileOperation,
  code: Fault['code'],
  use: (disk: FaultyFiles, data: string) => Promise<RunSummary>,
): Promise<number> {
  for (let call = 1; ; call++) {
    const data = scratch(`${operation}-${code}-${call}`);
    const disk = new FaultyFiles(quickFiles, { operation, call, code });
    const where = `call ${call} of ${operation} fails with ${code}`;
    const ended = await use(disk, data).then(
      (summary) => summary,
      (error: unknown) => expectClear(error, where),
    );
    const isBegun = (await statusIn(data)) !== undefined;
    const summary = ended?.health === 'ok' ? ended : await (isBegun ? goOn : begin)(data, quickFiles);
    expect(await outcomeOf(data, summary), where).toEqual(whole);
    expect(await findingsIn(data), where).toEqual([]);
    await rm(data, { recursive: true, maxRetries: 3 });
    if (!disk.isHit) return call - 1;
  }
}

/** What a person is told: what happened, and what to do. */
function expectClear(error: unknown, where: string): undefined {
  if (!(error instanceof CurlewError)) return expect.fail(`${where}: ${error instanceof Error ? error.stack : error}`);
  expect(
    [ErrorCode.diskFull, ErrorCode.dataDirectory, ErrorCode.archiveDamaged],
    `${where}: ${error.message}`,
  ).toContain(error.code);
  expect(error.remedy, where).toBeTruthy();
  return undefined;
}

const FAULTS = FILE_OPERATIONS.filter((operation) => operation !== 'freeBytes').flatMap((operation) =>
  (['ENOSPC', 'EIO', 'EACCES'] as const).map((code) => ({ operation, code })),
);

describe('a run whose disk fails once', () => {
  it.each([...FAULTS, { operation: 'write', code: 'short' } as const])(
    'with $code at any $operation',
    async ({ operation, code }) => {
      const hits = await failEach(operation, code, (disk, data) => begin(data, disk));
      // What a new run has no need for is below.
      if (operation !== 'truncate') expect(hits).toBeGreaterThan(0);
    },
  );
});

/** Killed before the archive is synced for the first time, with all that was written; and cut off with the power later. */
async function recordStates(): Promise<Map<string, Buffer>[]> {
  const program = fileURLToPath(new URL('record-run.ts', import.meta.url));
  const output = scratch('events');
  await promisify(execFile)(process.execPath, [program, site.url, scratch('recorded'), output]);
  const events: DiskEvent[] = deserialize(await readFile(output));
  const archive = events.flatMap((event) =>
    event.kind === 'enter' && event.name === segmentName(1) && event.entry.kind === 'file' ? [event.entry.file] : [],
  );
  const synced = events.findIndex((event) => event.kind === 'sync' && archive.includes(event.file));
  const history = new DiskHistory(events);
  return [history.killedState(synced), history.crashState(Math.floor(history.length * 0.9), seededRandom(1))];
}

describe('a resume whose disk fails once', () => {
  it.each(['open', 'read', 'truncate', 'remove', 'sizeOf', 'sync', 'write'] as const)(
    'at any %s',
    async (operation) => {
      for (const state of await recordStates()) {
        await failEach(operation, 'EIO', async (disk, data) => {
          await writeState(data, state);
          return (await statusIn(data)) === undefined ? begin(data, disk) : goOn(data, disk);
        });
      }
    },
  );
});

it('a resume that cannot read the archive says so, and takes nothing for lost', async () => {
  const [killed = new Map()] = await recordStates();
  for (let call = 1; call <= 3; call++) {
    const data = scratch(`killed-${call}`);
    await writeState(data, killed);
    const disk = new FaultyFiles(quickFiles, { operation: 'read', call, code: 'EIO' });
    await expect(goOn(data, disk)).rejects.toMatchObject({
      code: 'data_directory',
      message: expect.stringContaining('EIO'),
    });
    const summary = await goOn(data, quickFiles);
    expect(summary).toMatchObject({ health: 'ok', warnings: [] });
  }
});

describe('a mirror whose disk fails once', () => {
  it.each(['open', 'write', 'sync', 'rename', 'syncDirectory', 'makeDirectory', 'remove'] as const)(
    'at any %s',
    async (operation) => {
      const court = await startSite({ cases: 40 });
      // Every case asks for the same: the first ones, and some of the others.
      for (const call of [1, 2, 3, 4, 5, 8, 13, 34]) {
        const data = scratch(`${operation}-${call}`);
        const disk = new FaultyFiles(quickFiles, { operation, call, code: 'EIO' });
        const where = `call ${call} of ${operation}`;
        await scrape(court, data, {}, { world: { files: disk, clock: new FlyingClock() } }).catch((error: unknown) =>
          expectClear(error, where),
        );
        if (!disk.isHit) break;
        await scrape(court, data, {}, { world: { files: quickFiles, clock: new FlyingClock() } });
        expect(filesIn(data), where).toEqual(perfectFiles(court));
        expect(await findingsIn(data), where).toEqual([]);
        await rm(data, { recursive: true, maxRetries: 3 });
      }
    },
  );
});
