// What people and programs read of a mirror: each report on a real ledger and real files.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { CaseDownloadState } from '../../src/mirror/case-download-state.ts';
import { corpusCoverage } from '../../src/mirror/reports/corpus-coverage.ts';
import { listDownloadedCases } from '../../src/mirror/reports/downloaded-cases.ts';
import { explainCase } from '../../src/mirror/reports/explain-case.ts';
import { type ExportedCase, exportCases, manifestLines } from '../../src/mirror/reports/export-cases.ts';
import { runHealthChecks } from '../../src/mirror/reports/run-health-checks.ts';
import {
  latestRun,
  latestRunWithDownloads,
  listRecentRuns,
  runHealthOf,
  runWithDownloads,
} from '../../src/mirror/reports/run-reports.ts';
import { summariseDownloadsForRun } from '../../src/mirror/reports/summarise-downloads.ts';
import { verifyFiles } from '../../src/mirror/reports/verify-files.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import {
  csvOf,
  type IndexServer,
  indexServer,
  openMirror,
  pdfOf,
  rows,
  SOURCE,
  type TestMirror,
} from './mirror-setup.ts';

const scratch = scratchDirectory();
let server: IndexServer;
let mirror: TestMirror;

beforeEach(async () => {
  server = await indexServer();
  mirror = await openMirror(scratch('data'), server);
  server.serve(csvOf([...rows(6), { token: 'CRIME1', category: 'Criminal' }]));
  await mirror.sync();
});

async function stateOf(run: Parameters<typeof mirror.store>[0], token: string): Promise<CaseDownloadState> {
  return CaseDownloadState.of(run, mirror.log, await mirror.caseOf(token));
}

/** T0001 and T0002 held, T0003 failed, T0004 skipped, T0005 begun, T0006 not tried. */
async function mixedRun(): Promise<number> {
  const run = await mirror.start();
  const list = await Promise.all(rows(5).map(({ token }) => mirror.caseOf(token)));
  await run.plan(list.map(({ id }) => id));
  for (const token of ['T0001', 'T0002']) await mirror.store(run, await mirror.caseOf(token));
  const failing = await stateOf(run, 'T0003');
  await failing.start();
  await failing.markFailed('http_404_not_found', '404 Not Found');
  await (await stateOf(run, 'T0004')).markSkipped('csv_miss');
  await (await stateOf(run, 'T0005')).start();
  await run.end('aborted', 'stopped by a person');
  return run.run;
}

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}

describe('runs', () => {
  it('are not there at first', async () => {
    expect(await latestRun(mirror.mirror)).toBeUndefined();
    expect(await latestRunWithDownloads(mirror.mirror)).toBeUndefined();
    expect(await listRecentRuns(mirror.mirror)).toEqual([]);
    for (const report of [summariseDownloadsForRun, runHealthOf, runWithDownloads]) {
      await expect(report(mirror.mirror, 7)).rejects.toMatchObject({ code: 'run_not_found' });
    }
  });

  it('are told with the keys that were promised', async () => {
    const id = await mixedRun();
    const row = {
      id,
      trigger: 'cli',
      mode: 'new',
      csv_version_id: 1,
      status: 'aborted',
      started_at: '2026-01-01T00:00:01.000Z',
      ended_at: '2026-01-01T00:00:01.000Z',
      error_summary: 'stopped by a person',
    };
    const coverage = {
      cases_total: 7,
      cases_planned: 5,
      cases_attempted: 4,
      cases_downloaded: 2,
      cases_failed: 1,
      cases_skipped: 1,
      coverage_ratio: 0.4,
      run_health: 'partial',
    };
    const downloads = { total: 5, downloaded: 2, failed: 1, skipped: 1, pending: 0, in_progress: 1 };
    expect(await latestRun(mirror.mirror)).toEqual(row);
    expect(await latestRunWithDownloads(mirror.mirror)).toEqual({ ...row, downloads });
    expect(await listRecentRuns(mirror.mirror, { limit: 0 })).toEqual([{ ...row, ...coverage, target_source: SOURCE }]);
    expect(await listRecentRuns(mirror.mirror, { source: 'other' })).toEqual([]);
    expect(await runHealthOf(mirror.mirror, id)).toEqual({ run_id: id, ...coverage });
    expect(await summariseDownloadsForRun(mirror.mirror, id)).toEqual({
      run_id: id,
      status_counts: { downloaded: 2, failed: 1, skipped: 1, pending: 0, in_progress: 1 },
      fail_reasons: { http_404_not_found: 1 },
      skip_reasons: { csv_miss: 1 },
    });
  });
});

describe('cases that are held', () => {
  it('are rows with the keys that were promised', async () => {
    const run = await mixedRun();
    const [first, ...others] = await listDownloadedCases(mirror.mirror);
    expect(others).toHaveLength(1);
    expect(first).toEqual({
      actions_token: 'T0001',
      title: 'Re T0001',
      subject: 'Winding up',
      court: 'Grand Court',
      category: 'Civil',
      judgment_date: '2025-11-06',
      sort_judgment_date: '2025-11-06',
      cause_number: 'FSD 1 OF 2025',
      downloaded_at: '2026-01-01T00:00:01.000Z',
      saved_path: `pdfs/${SOURCE}/T0001.pdf`,
      filename: 'T0001.pdf',
      size_kb: 1.8,
      source: SOURCE,
    });
    expect(await listDownloadedCases(mirror.mirror, { runId: run, status: 'failed' })).toMatchObject([
      { actions_token: 'T0003', downloaded_at: null, saved_path: null, size_kb: null },
    ]);
    expect(await listDownloadedCases(mirror.mirror, { source: 'other' })).toEqual([]);
  });

  it('come once, however often they were downloaded', async () => {
    await mixedRun();
    const run = await mirror.start();
    await mirror.store(run, await mirror.caseOf('T0001'));
    await run.end('completed');
    expect(await listDownloadedCases(mirror.mirror)).toHaveLength(2);
  });
});

describe('the coverage of the corpus', () => {
  it('explains every case that is not held', async () => {
    const id = await mixedRun();
    await rm(scratch('data', 'pdfs', SOURCE, 'T0002.pdf'));
    const report = await corpusCoverage(mirror.mirror, mirror.directory, SOURCE, mirror.clock.now());
    expect(report).toMatchObject({
      cases_active: 7,
      cases_criminal: 1,
      cases_inactive: 0,
      cases_wanted: 6,
      cases_held: 1,
      cases_held_not_wanted: 0,
      corpus_coverage: 1 / 6,
    });
    expect(report.missing.map((known) => [known.actions_token, known.reason, known.detail])).toEqual([
      ['T0002', 'file_missing', `${SOURCE}/T0002.pdf`],
      ['T0003', 'http_404_not_found', '404 Not Found'],
      ['T0004', 'csv_miss', 'the index has no such case'],
      ['T0005', 'interrupted', `run ${id} ended during the attempt`],
      ['T0006', 'never_attempted', null],
    ]);
    for (const { next_action } of report.missing) expect(next_action).not.toBe('');
  });
});

describe('the story of a case', () => {
  it('is told in order, from the index to the file', async () => {
    await mixedRun();
    server.serve(csvOf([{ token: 'T0001', title: 'Re Y' }, ...rows(5, 2), { token: 'CRIME1', category: 'Criminal' }]));
    await mirror.sync();
    const { steps } = await explainCase(mirror.mirror, SOURCE, ' t-0001 ');
    const sha256 = hash('sha256', pdfOf('T0001'));
    expect(steps.map(({ what, attempt, file_sha256 }) => [what, attempt, file_sha256])).toEqual([
      ['Listed for the first time, in version 1 of the index.', null, null],
      ['Run 1, attempt 1: the court was asked for the file.', 1, null],
      [`Run 1, attempt 1: downloaded, 1,815 bytes, SHA-256 ${sha256}.`, 1, sha256],
      ['Its title changed from "Re T0001" to "Re Y", in version 2 of the index.', null, null],
    ]);
    expect(JSON.stringify(steps)).not.toContain('hunter2');
  });

  it('is not told of a case that is not known', async () => {
    await expect(explainCase(mirror.mirror, SOURCE, 'nothing')).rejects.toMatchObject({ code: 'case_not_found' });
  });
});

describe('the export', () => {
  it('goes on from its cursor, and tells a case again that changed', async () => {
    await mixedRun();
    const all = await gather(exportCases(mirror.mirror));
    expect(all.map(({ id }) => id)).toEqual([`${SOURCE}/T0001`, `${SOURCE}/T0002`]);
    expect(all[0]).toMatchObject({
      file_path: `pdfs/${SOURCE}/T0001.pdf`,
      is_active: true,
      title: 'Re T0001',
      other: {},
    });
    const changedSince = async (cursor: number) =>
      (await gather(exportCases(mirror.mirror, { since: cursor }))).map(tell);
    const tell = ({ id, title, is_active }: ExportedCase) => `${id.split('/')[1]} ${title} ${is_active}`;
    expect(await changedSince(all[0]?.cursor ?? 0)).toEqual(['T0002 Re T0002 true']);
    const last = all.at(-1)?.cursor ?? 0;
    expect(await changedSince(last)).toEqual([]);
    server.serve(csvOf([{ token: 'T0001', title: 'Re Y' }, ...rows(4, 3), { token: 'CRIME1', category: 'Criminal' }]));
    await mirror.sync();
    const run = await mirror.start();
    await mirror.store(run, await mirror.caseOf('T0006'));
    await run.end('completed');
    expect(await changedSince(last)).toEqual(['T0001 Re Y true', 'T0002 Re T0002 false', 'T0006 Re T0006 true']);
  });

  it('has a manifest that sha256sum can check', async () => {
    await mixedRun();
    const manifest = (await gather(manifestLines(mirror.mirror))).join('');
    await writeFile(scratch('data', 'manifest.sha256'), manifest);
    const check = () =>
      execFileSync('sha256sum', ['--check', 'manifest.sha256'], { cwd: scratch('data'), stdio: 'pipe' });
    expect(check().toString()).toBe(`pdfs/${SOURCE}/T0001.pdf: OK\npdfs/${SOURCE}/T0002.pdf: OK\n`);
    await appendFile(scratch('data', 'pdfs', SOURCE, 'T0002.pdf'), '!');
    expect(check).toThrow();
  });
});

describe('verifying', () => {
  it('finds what is missing, changed and unknown, and nothing else', async () => {
    await mixedRun();
    const run = await mirror.start();
    await mirror.store(run, await mirror.caseOf('T0006'));
    await run.end('completed');
    expect(await verifyFiles(mirror.mirror, mirror.directory)).toEqual({
      ok: true,
      checked: 3,
      missing: [],
      changed: [],
      orphaned: [],
    });
    await rm(scratch('data', 'pdfs', SOURCE, 'T0001.pdf'));
    await appendFile(scratch('data', 'pdfs', SOURCE, 'T0002.pdf'), '!');
    await writeFile(scratch('data', 'pdfs', SOURCE, 'STRAY.pdf'), 'x');
    await writeFile(scratch('data', 'pdfs', 'loose.txt'), 'x');
    expect(await verifyFiles(mirror.mirror, mirror.directory)).toEqual({
      ok: false,
      checked: 3,
      missing: [`${SOURCE}/T0001.pdf`],
      changed: [`${SOURCE}/T0002.pdf`],
      orphaned: ['loose.txt', `${SOURCE}/STRAY.pdf`],
    });
  });
});

describe('the health of an installation', () => {
  const check = (env: Record<string, string> = {}, data = scratch('data')) =>
    runHealthChecks('cli', { data, env, clock: systemClock });

  it('is good on a new directory', async () => {
    const { ok, checks } = await check({ BAILIIKC_MIN_FREE_MB: '0' }, scratch('new'));
    expect(ok).toBe(true);
    expect(Object.keys(checks)).toEqual(['config', 'filesystem', 'database', 'consistency', 'index', 'fixity']);
    expect(Object.values(checks).every((one) => one.ok)).toBe(true);
  });

  it('tells of lost files, which are no reason to stop', async () => {
    await mixedRun();
    await rm(scratch('data', 'pdfs', SOURCE, 'T0001.pdf'));
    const { ok, checks } = await check({ BAILIIKC_MIN_FREE_MB: '0' });
    expect(ok).toBe(true);
    expect(checks.consistency).toEqual({
      ok: false,
      detail: '1 of 2 files are not in their place; see curlew mirror verify',
    });
  });

  it('is bad with settings that cannot be used, without room, and without a ledger that can be read', async () => {
    expect(await check({ BAILIIKC_NAV_TIMEOUT_SECONDS: '0' })).toMatchObject({
      ok: false,
      checks: { config: { ok: false } },
    });
    expect(await check({ BAILIIKC_MIN_FREE_MB: '999999999' })).toMatchObject({
      ok: false,
      checks: { config: { ok: true }, filesystem: { ok: false } },
    });
    await mirror.ledger.close();
    await writeFile(scratch('data', 'ledger.sqlite'), 'not a database, whatever its name says');
    for (const end of ['-wal', '-shm']) await rm(scratch('data', `ledger.sqlite${end}`), { force: true });
    expect(await check()).toMatchObject({ ok: false, checks: { database: { ok: false }, consistency: { ok: false } } });
  });
});
