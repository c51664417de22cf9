// Runs of a mirror on a real ledger: states of downloads, ownership, coverage, worklists and resumes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { OWNER_SILENT_MS } from '../../src/ledger/run-ownership.ts';
import { CaseDownloadState } from '../../src/mirror/case-download-state.ts';
import type { ScrapeParams } from '../../src/mirror/scrape-params.ts';
import { countReasons } from '../../src/mirror/worklist/build-worklist.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { csvOf, type IndexServer, indexServer, openMirror, rows, SOURCE, type TestMirror } from './mirror-setup.ts';

const scratch = scratchDirectory();
let server: IndexServer;
let mirror: TestMirror;

beforeEach(async () => {
  server = await indexServer();
  mirror = await openMirror(scratch('data'), server);
  server.serve(csvOf([...rows(8), { token: 'CRIME1', category: 'Criminal' }]));
  await mirror.sync();
});

/** What a run of these parameters would fetch: token and reason. */
async function planned(given: Partial<ScrapeParams> = {}): Promise<string[]> {
  const { planned: list } = await mirror.worklist(given);
  return list.map(({ case: wanted, reason }) => `${wanted.actionTokenNorm} ${reason}`);
}

describe('the state of a download', () => {
  it('goes from pending through attempts to downloaded, and stays there', async () => {
    const run = await mirror.start();
    const wanted = await mirror.caseOf('T0001');
    const state = await CaseDownloadState.of(run, mirror.log, wanted);
    expect([state.status, state.attemptCount]).toEqual(['pending', 0]);
    const box = 'https://dl.boxcloud.com/d/1/b1!hunter2/download';
    expect(await state.start(box)).toBe(true);
    expect(await state.markFailed('network_timeout', `no answer from ${box}`)).toBe(true);
    expect(await state.start()).toBe(true);
    expect(state.attemptCount).toBe(2);
    const said = { version: 1, etag: null, lastModified: null };
    const file = { ...said, filePath: 'x/T0001.pdf', sizeBytes: 2048, sha256: 'ab'.repeat(32) };
    expect(await state.markDownloaded(file, box)).toBe(true);
    const [held] = await mirror.mirror.downloadsOf(run.run);
    for (const change of [
      () => state.start(),
      () => state.markFailed('http_5xx', 'late'),
      () => state.markSkipped('exists_ok'),
    ]) {
      expect(await change()).toBe(false);
    }
    expect(await mirror.mirror.downloadsOf(run.run)).toEqual([held]);
    expect(held).toMatchObject({
      status: 'downloaded',
      attemptCount: 2,
      fileSha256: file.sha256,
      boxUrlLast: 'https://dl.boxcloud.com/d/1/***/download',
      errorCode: null,
    });
    const events = await mirror.mirror.eventsOfCase(wanted.id);
    const moves = events.map(({ label, fields }) => {
      const { from_status: from, to_status: to, attempt, error } = fields as Record<string, unknown>;
      return [label, error, from, to, attempt].filter((part) => part !== undefined).join(' ');
    });
    expect(moves).toEqual([
      'STATE pending in_progress 1',
      'STATE in_progress failed 1',
      'STATE failed in_progress 2',
      'STATE in_progress downloaded 2',
      'ERROR invalid_transition_after_download downloaded in_progress 2',
      'ERROR invalid_transition_after_download downloaded failed 2',
      'ERROR invalid_transition_after_download downloaded skipped 2',
    ]);
  });

  it('leaves no signature in the ledger or in the log', async () => {
    const run = await mirror.start();
    const state = await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0001'));
    await state.start('https://dl.boxcloud.com/d/1/b1!hunter2/download?sig=hunter2');
    await state.markFailed('ajax_403', 'nonce=0123abcdef and https://dl.boxcloud.com/d/1/b1!hunter2/download');
    await run.end('failed', null);
    await mirror.ledger.close();
    for (const name of ['ledger.sqlite', 'ledger.sqlite-wal', 'logs/latest.log']) {
      const bytes = await readFile(scratch('data', name)).catch(() => Buffer.alloc(0));
      expect([name, bytes.includes('hunter2'), bytes.includes('0123abcdef')]).toEqual([name, false, false]);
    }
    expect(readFileSync(scratch('data', 'logs', 'latest.log'), 'utf8')).toMatch(
      /\[SCRAPER\]\[STATE\] .*to_status=in_progress/,
    );
  });

  it('is not downloaded without an attempt, and a skipped case stays skipped', async () => {
    const run = await mirror.start();
    const state = await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0001'));
    const file = { version: 1, filePath: 'x', sizeBytes: 1, sha256: '', etag: null, lastModified: null };
    expect(await state.markDownloaded(file)).toBe(false);
    expect(await state.markSkipped('csv_miss')).toBe(true);
    expect(await state.start()).toBe(false);
    expect(state.status).toBe('skipped');
  });

  it('is written by one module only', async () => {
    const home = fileURLToPath(new URL('../../src', import.meta.url));
    const writers: string[] = [];
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/(?<!\.test)\.ts$/.test(entry.name)) continue;
      const code = await readFile(join(entry.parentPath, entry.name), 'utf8');
      if (/UPDATE downloads|\.changeDownload\(/.test(code)) writers.push(entry.name);
    }
    expect(writers.sort()).toEqual(['case-download-state.ts', 'download-table.ts']);
  });
});

describe('a run', () => {
  it('is the only one of its source, until it ends', async () => {
    const run = await mirror.start();
    await expect(mirror.start()).rejects.toMatchObject({ code: 'run_owned' });
    await run.end('completed');
    await (await mirror.start()).end('completed');
    expect(await mirror.mirror.runs(SOURCE, 10)).toHaveLength(2);
  });

  it('measures its coverage when it ends', async () => {
    const run = await mirror.start({ mode: 'full' });
    const { planned: list } = await mirror.worklist({ mode: 'full' }, run);
    await run.plan(list.map(({ case: { id } }) => id));
    for (const token of ['T0001', 'T0002', 'T0003', 'T0004', 'T0005'])
      await mirror.store(run, await mirror.caseOf(token));
    const failing = await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0006'));
    await failing.start();
    await failing.markFailed('http_404_not_found', 'gone');
    await (await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0007'))).markSkipped('csv_miss');
    await run.end('completed');
    expect(await mirror.mirror.run(run.run)).toMatchObject({
      status: 'completed',
      coverage: {
        casesTotal: 9,
        casesPlanned: 8,
        casesAttempted: 6,
        casesDownloaded: 5,
        casesFailed: 1,
        casesSkipped: 1,
      },
      coverageRatio: 5 / 8,
      runHealth: 'partial',
    });
  });

  it('that was silent for too long is aborted at the next start, and its commits are refused', async () => {
    const lost = await mirror.start();
    await lost.plan([(await mirror.caseOf('T0001')).id]);
    await mirror.clock.advance(OWNER_SILENT_MS);
    const next = await mirror.start();
    expect(await mirror.mirror.run(lost.run)).toMatchObject({ status: 'aborted', runHealth: 'suspicious' });
    await expect(lost.end('completed')).rejects.toMatchObject({ code: 'ownership_lost' });
    expect(await mirror.mirror.run(lost.run)).toMatchObject({ status: 'aborted' });
    expect(next.run).toBeGreaterThan(lost.run);
  });

  it('whose process is really dead is aborted at once, and what it began is resumed', async () => {
    const program = fileURLToPath(new URL('./fixtures/begin-and-hang.ts', import.meta.url));
    const child = spawn(process.execPath, [program, scratch('data'), SOURCE], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await expect(mirror.start()).rejects.toMatchObject({ code: 'run_owned' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const run = await mirror.start({ mode: 'resume' });
    const [, killed] = await mirror.mirror.runs(SOURCE, 2);
    expect(killed).toMatchObject({ status: 'aborted', errorSummary: expect.stringContaining('ended') });
    const { planned: list } = await mirror.worklist({ mode: 'resume' }, run);
    expect(list.map(({ case: wanted, reason }) => `${wanted.actionTokenNorm} ${reason}`)).toEqual([
      'T0001 stale_in_progress',
      'T0002 never_begun',
      'T0003 never_begun',
    ]);
  });
});

describe('a worklist', () => {
  /** T0001 held, T0002 failed, T0003 begun, T0004 planned, T0005 skipped; the rest was beyond the limit. */
  async function interrupted(): Promise<void> {
    const run = await mirror.start({ limit: 5 });
    const { planned: list } = await mirror.worklist({ limit: 5 }, run);
    await run.plan(list.map(({ case: { id } }) => id));
    await mirror.store(run, await mirror.caseOf('T0001'));
    const failing = await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0002'));
    await failing.start();
    await failing.markFailed('http_404_not_found', 'gone');
    await (await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0003'))).start();
    await (await CaseDownloadState.of(run, mirror.log, await mirror.caseOf('T0005'))).markSkipped('csv_miss');
    await run.end('aborted', 'stopped');
  }

  it('has every active case that is not criminal, and says why not of the others', async () => {
    const { planned: list, leftOut } = await mirror.worklist({ limit: 3 });
    expect(list.map(({ case: wanted }) => wanted.actionTokenNorm)).toEqual(['T0001', 'T0002', 'T0003']);
    expect(leftOut.map(({ case: wanted, reason }) => `${wanted.actionTokenNorm} ${reason}`)).toEqual([
      'T0004 limit',
      'T0005 limit',
      'T0006 limit',
      'T0007 limit',
      'T0008 limit',
      'CRIME1 criminal',
    ]);
    expect(countReasons({ planned: list, leftOut })).toEqual({ new_in_version: 3, limit: 5, criminal: 1 });
  });

  it('of a new run has what earlier runs left, on an unchanged index too', async () => {
    const run = await mirror.start({ limit: 3 });
    const { planned: list } = await mirror.worklist({ limit: 3 }, run);
    await run.plan(list.map(({ case: { id } }) => id));
    for (const { case: wanted } of list) await mirror.store(run, wanted);
    await run.end('completed');
    expect(await planned()).toEqual(
      ['T0004', 'T0005', 'T0006', 'T0007', 'T0008'].map((token) => `${token} new_in_version`),
    );
    server.serve(csvOf([...rows(9), { token: 'CRIME1', category: 'Criminal' }]));
    await mirror.sync();
    expect(await planned()).toEqual([
      ...['T0004', 'T0005', 'T0006', 'T0007', 'T0008'].map((token) => `${token} left_over`),
      'T0009 new_in_version',
    ]);
  });

  it('of a resume has what its strategy takes up', async () => {
    await interrupted();
    const list = (resumeStrategy: ScrapeParams['resumeStrategy']) => planned({ mode: 'resume', resumeStrategy });
    expect(await list('retry_failed_only')).toEqual(['T0002 failed_before']);
    expect(await list('redo_in_progress')).toEqual(['T0003 stale_in_progress', 'T0004 never_begun']);
    expect(await list('auto')).toEqual(['T0002 failed_before', 'T0003 stale_in_progress', 'T0004 never_begun']);
    expect(await list('none')).toEqual(['2', '3', '4', '5', '6', '7', '8'].map((n) => `T000${n} new_in_version`));
  });

  it('of a resume finds what was begun under an earlier version of the index', async () => {
    await interrupted();
    server.serve(csvOf(rows(9)));
    await mirror.sync();
    expect(await planned({ mode: 'resume' })).toHaveLength(3);
  });

  it('of a resume has everything, when the run before died before it had a worklist', async () => {
    await (await mirror.start({ mode: 'full' })).end('aborted', 'killed');
    await (await mirror.start({ mode: 'resume' })).end('aborted', 'killed again');
    expect(await planned({ mode: 'resume' })).toEqual(rows(8).map(({ token }) => `${token} never_planned`));
    await (await mirror.start({ mode: 'full' })).end('completed');
    expect(await planned({ mode: 'resume' })).toEqual([]);
  });

  it('has a case again whose file is gone, and a full one also every case that is held', async () => {
    const run = await mirror.start();
    for (const { token } of rows(8)) await mirror.store(run, await mirror.caseOf(token));
    await run.end('completed');
    expect(await planned()).toEqual([]);
    await rm(scratch('data', 'pdfs', SOURCE, 'T0002.pdf'));
    expect(await planned()).toEqual(['T0002 file_missing']);
    expect(await planned({ mode: 'resume' })).toEqual(['T0002 file_missing']);
    expect(await planned({ mode: 'full' })).toEqual([
      'T0002 file_missing',
      ...[1, 3, 4, 5, 6, 7, 8].map((number) => `T000${number} recheck`),
    ]);
  });

  it('has nothing that is gone from the index', async () => {
    server.serve(csvOf([...rows(7), { token: 'CRIME1', category: 'Criminal' }]));
    await mirror.sync();
    expect(await planned()).toHaveLength(7);
    expect((await mirror.worklist()).leftOut).toContainEqual({
      case: await mirror.caseOf('T0008'),
      reason: 'inactive',
    });
  });
});

it('foreign keys hold', async () => {
  await mirror.ledger.close();
  const file = new DatabaseSync(scratch('data', LEDGER_FILE));
  expect(file.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  file.close();
});
