// Whole runs of the mirror against the simulated court.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CorpusVersion } from '../../sim/judicial-ky/corpus.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { CaseDownloadState } from '../../src/mirror/case-download-state.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { verifiedEvent } from '../../src/mirror/downloads/adopt-file.ts';
import { ScraperLog } from '../../src/mirror/events/scraper-log.ts';
import { mirrorDirectory, pdfPathOf } from '../../src/mirror/mirror-directory.ts';
import { corpusCoverage } from '../../src/mirror/reports/corpus-coverage.ts';
import { diffVersions } from '../../src/mirror/reports/diff-versions.ts';
import { verifyFiles } from '../../src/mirror/reports/verify-files.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ErrorCode } from '../../src/platform/errors.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { FlyingClock } from './flying-clock.ts';
import {
  codesSeen,
  filesIn,
  latestRun,
  logOf,
  look,
  perfectFiles,
  requestsTo,
  SOURCE,
  scrape,
  startSite,
} from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

describe('a run', () => {
  it('holds every case that is not criminal, with one call and one request for each', async () => {
    const site = await startSite({ cases: 200 });
    const summary = await scrape(site, data());
    const files = perfectFiles(site);
    const count = Object.keys(files).length;
    expect(summary).toMatchObject({
      casesTargeted: count,
      downloadsCompleted: count,
      downloadsFailed: 0,
      errorCounts: {},
    });
    expect(filesIn(data())).toEqual(files);
    expect(requestsTo(site)).toEqual({ pages: 1, ajax: count, files: count });
    expect(await latestRun(data())).toMatchObject({ status: 'completed', runHealth: 'ok', coverageRatio: 1 });
  });

  it('does nothing when all is held, and fetches again what was lost or changed', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, data());
    const before = requestsTo(site);
    expect(await scrape(site, data())).toMatchObject({ casesTargeted: 0, downloadsCompleted: 0 });
    expect(requestsTo(site)).toEqual(before);
    const [lost, changed] = site.corpus.wanted('v1').map(({ token }) => normalizeActionToken(token));
    rmSync(scratch('data', 'pdfs', SOURCE, `${lost}.pdf`));
    const path = scratch('data', 'pdfs', SOURCE, `${changed}.pdf`);
    writeFileSync(path, readFileSync(path).reverse());
    expect(await scrape(site, data(), { mode: 'new' })).toMatchObject({ casesTargeted: 1, downloadsCompleted: 1 });
    const count = Object.keys(perfectFiles(site)).length;
    const all = { casesTargeted: count, downloadsCompleted: count, filesAmended: 0 };
    expect(await scrape(site, data(), { mode: 'full' })).toMatchObject(all);
    expect(filesIn(data())).toEqual(perfectFiles(site));
  });

  it('waits between two cases, give or take a fifth', async () => {
    const site = await startSite({ cases: 40 });
    const clock = new FlyingClock();
    await scrape(site, data(), { perDownloadDelayMs: 1_000, concurrency: 1, limit: 30 }, { world: { clock } });
    const waits = clock.sleeps.filter((ms) => ms >= 700);
    expect(waits).toHaveLength(29);
    expect(waits.every((ms) => ms >= 800 && ms <= 1_200)).toBe(true);
    expect(new Set(waits.map(Math.round)).size).toBeGreaterThan(10);
  });

  it('keeps the pace of each host, as the server sees it', async () => {
    const site = await startSite({ cases: 40 });
    const options = { fetch: { rate: 25, allowHosts: ['127.0.0.1'] }, world: { clock: systemClock } };
    await scrape(site, data(), { limit: 8 }, options);
    for (const { log } of [site, site.box]) {
      const [first, last] = [log.entries[0]?.arrivedAt ?? 0, log.entries.at(-1)?.arrivedAt ?? 0];
      // A gap may be lost to a first request that was slow on its way.
      expect(last - first).toBeGreaterThanOrEqual((log.entries.length - 2) * 40);
    }
  });

  it('gets over two nonces that end and addresses that expire, with a bounded number of pages', async () => {
    const site = await startSite({ cases: 200 });
    site.switchOn('nonce-rotated', { after: 50, count: 1 });
    site.switchOn('nonce-rotated', { after: 120, count: 1 });
    site.switchOn('url-expired', { rate: 0.05 });
    const summary = await scrape(site, data());
    expect(filesIn(data())).toEqual(perfectFiles(site));
    expect(summary.errorCounts).toEqual({});
    const { signed_url_expired: expired = 0, ...others } = await codesSeen(data());
    expect(expired).toBeGreaterThan(2);
    expect(others).toEqual({});
    const { pages, ajax, files } = requestsTo(site);
    expect([pages, ajax - 2, files]).toEqual([
      3,
      summary.downloadsCompleted + expired,
      summary.downloadsCompleted + expired,
    ]);
  });

  it('takes an address that is refused in whatever way for an old one', async () => {
    for (const expiredStatus of [401, 403, 404, 410] as const) {
      const site = await startSite({ cases: 40, expiredStatus });
      site.switchOn('url-expired', { count: 1 });
      const home = scratch(`data-${expiredStatus}`);
      expect(await scrape(site, home, { limit: 2 })).toMatchObject({ downloadsCompleted: 2, errorCounts: {} });
      expect(await codesSeen(home)).toEqual({ signed_url_expired: 1 });
    }
  });

  it('waits for a file that is not ready, as long as it is told to', async () => {
    const site = await startSite({ cases: 40 });
    site.switchOn('pdf-202', { count: 3 });
    const clock = new FlyingClock();
    await scrape(site, data(), { limit: 1, concurrency: 1 }, { world: { clock } });
    expect(requestsTo(site)).toMatchObject({ ajax: 1, files: 4 });
    expect(clock.sleeps.filter((ms) => ms === 1_000)).toHaveLength(3);
  });

  it('never fetches two files of more than it may at once, and tells its peak and its overflow', async () => {
    const site = await startSite({ cases: 60 });
    site.box.setLatency(30);
    const env = { BAILIIKC_MAX_PENDING_DOWNLOADS: '2' };
    await scrape(site, data(), { concurrency: 3 }, { env });
    expect(site.box.stats().peakInFlight).toBe(3);
    expect(site.stats().peakInFlight).toBe(1);
    expect(logOf(data())).toMatch(
      /phase=download_executor kind=summary peak_in_flight=3 max_parallel=3 overflows=[1-9]/,
    );
    expect(logOf(data())).toMatch(/kind=queue_overflow pending=2 max_pending=2/);
  });

  it('with the executor off fetches one at a time', async () => {
    const site = await startSite({ cases: 40 });
    site.box.setLatency(5);
    await scrape(site, data(), { concurrency: 4 }, { env: { BAILIIKC_ENABLE_DOWNLOAD_EXECUTOR: '0' } });
    expect(site.box.stats().peakInFlight).toBe(1);
  });

  it('obeys robots.txt', async () => {
    const site = await startSite({ cases: 40, robots: 'User-agent: *\nDisallow: /wp-admin/\n' });
    const summary = await scrape(site, data(), { limit: 2 });
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { http_403_forbidden: 2 } });
    expect(requestsTo(site)).toMatchObject({ ajax: 0, files: 0 });
  });
});

describe('titles, tokens and categories', () => {
  it('three cases of one title have three files, a token that comes twice has one, a criminal case none', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, data());
    const files = filesIn(data());
    const { cases, sha256 } = { cases: site.corpus.cases, sha256: (token: string) => site.corpus.sha256(token) };
    const sameTitle = cases.slice(0, 3);
    expect(new Set(sameTitle.map(({ title }) => title)).size).toBe(1);
    const hashes = sameTitle.map(({ token }) => files[normalizeActionToken(token)]);
    expect(hashes).toEqual(sameTitle.map(({ token }) => sha256(token)));
    expect(new Set(hashes).size).toBe(3);
    const all = await look(data(), ({ mirror }) => mirror.cases(SOURCE));
    for (const twice of [cases[3], cases[4]]) {
      const token = normalizeActionToken(twice?.token ?? '');
      expect(all.filter((one) => one.actionTokenNorm === token)).toHaveLength(1);
    }
    const criminal = cases.filter((one) => one.isCriminal).map(({ token }) => normalizeActionToken(token));
    expect(criminal.length).toBeGreaterThan(0);
    expect(criminal.filter((token) => files[token] !== undefined)).toEqual([]);
  });
});

describe('versions of the index', () => {
  it('a new run fetches what is new, a capped one leaves the rest, and the next fetches that', async () => {
    const site = await startSite({ cases: 60 });
    await scrape(site, data());
    site.travelTo('v2');
    const capped = await scrape(site, data(), { mode: 'new', limit: 3 });
    expect(capped).toMatchObject({ casesTargeted: 3, downloadsCompleted: 3 });
    const rest = await scrape(site, data(), { mode: 'new' });
    expect(rest).toMatchObject({ casesTargeted: 4, downloadsCompleted: 4 });
    expect(await scrape(site, data(), { mode: 'new' })).toMatchObject({ casesTargeted: 0 });
    const added = site.corpus.added.map(({ token }) => token).sort();
    const asked = site.log.entries.flatMap(({ token }) => (token == null ? [] : [token])).slice(-7);
    expect(asked.sort()).toEqual(added);
    expect(filesIn(data())).toEqual({ ...perfectFiles(site, 'v1'), ...perfectFiles(site, 'v2') });
  });

  it('differ as they do, and a case that comes back keeps both events', async () => {
    const site = await startSite({ cases: 60 });
    for (const version of ['v1', 'v2', 'v3'] satisfies CorpusVersion[]) {
      site.travelTo(version);
      await scrape(site, data(), { mode: 'new' });
    }
    const sizes = async (from: number, to: number) => {
      const diff = await look(data(), ({ mirror }) => diffVersions(mirror, from, to));
      return [diff.new_cases, diff.removed_cases, diff.changed_cases].map(({ length }) => length);
    };
    expect(await sizes(1, 2)).toEqual([7, 3, 2]);
    expect(await sizes(2, 3)).toEqual([1, 0, 0]);
    expect(await sizes(1, 3)).toEqual([7, 2, 2]);
    const token = normalizeActionToken(site.corpus.removed[0]?.token ?? '');
    const history = await look(data(), async ({ mirror }) => {
      const known = await mirror.findCase(SOURCE, token);
      return known === undefined ? [] : mirror.historyOf(known.id);
    });
    expect(history.map(({ change }) => change)).toEqual(['added', 'removed', 'returned']);
  });

  it.for(['csv-503', 'csv-html', 'csv-header-only', 'csv-half'] as const)(
    'with %s the last good one is used, and nothing is taken from the cases',
    async (name) => {
      const site = await startSite({ cases: 60 });
      await scrape(site, data(), { limit: 5 });
      const before = await look(data(), ({ mirror }) => mirror.cases(SOURCE));
      site.switchOn(name);
      expect(await scrape(site, data(), { mode: 'new', limit: 5 })).toMatchObject({ downloadsCompleted: 5 });
      expect(await look(data(), ({ mirror }) => mirror.cases(SOURCE))).toEqual(before);
      const [latest] = await look(data(), ({ mirror }) => mirror.versions(SOURCE, 1));
      expect(latest).toMatchObject({ valid: false, errorMessage: expect.stringMatching(/\w/) });
      expect(await latestRun(data())).toMatchObject({ csvVersionId: 1, status: 'completed' });
      expect(logOf(data())).toMatch(/\[ERROR\] .*phase=csv_sync .*using_version_id=1/);
    },
  );
});

describe('a run that ends early', () => {
  it('when it is told to hands back what it has not done, and a resume does it', async () => {
    const site = await startSite({ cases: 60 });
    const stop = new AbortController();
    const never = new AbortController().signal;
    const onProgress = ({ downloaded }: { downloaded: number }) => {
      if (downloaded === 10) stop.abort(new Error('enough'));
    };
    const first = await scrape(site, data(), {}, { patience: { stop: stop.signal, abort: never }, onProgress });
    expect(first.downloadsCompleted).toBeGreaterThanOrEqual(10);
    expect(first.downloadsCompleted).toBeLessThan(first.casesTargeted);
    expect(first.downloadsFailed).toBe(0);
    expect(await latestRun(data())).toMatchObject({ status: 'aborted' });
    const { byStatus } = await look(data(), ({ mirror }) => mirror.countDownloads(first.runId));
    expect(byStatus).toMatchObject({ in_progress: 0, failed: 0 });
    const second = await scrape(site, data(), { mode: 'resume' });
    expect(second.downloadsCompleted).toBe(first.casesTargeted - first.downloadsCompleted);
    expect(filesIn(data())).toEqual(perfectFiles(site));
    expect(requestsTo(site).files).toBe(first.casesTargeted);
  });

  it('when the page has changed stops after three cases, and leaves the rest as planned', async () => {
    const site = await startSite({ cases: 60 });
    const { id } = site.switchOn('page-redesigned');
    const summary = await scrape(site, data());
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { site_structure_changed: 3 } });
    expect(await latestRun(data())).toMatchObject({
      status: 'failed',
      errorSummary: expect.stringMatching(/has changed/),
    });
    expect(requestsTo(site).pages).toBe(3);
    site.faults.clear(id);
    expect(await scrape(site, data(), { mode: 'resume' })).toMatchObject({ errorCounts: {} });
    expect(filesIn(data())).toEqual(perfectFiles(site));
  });

  it('leaves a file that was named but not committed, which is taken over and not fetched', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, data(), { limit: 1 });
    const ledger = await Ledger.open(data(), { clock: systemClock });
    const directory = mirrorDirectory(data());
    const log = ScraperLog.open(directory.logs, systemClock);
    const names = site.corpus
      .wanted('v1')
      .slice(5, 8)
      .map(({ token }) => token);
    const run = await ledger.mirror.startRun({
      source: SOURCE,
      trigger: 'cli',
      mode: 'full',
      csvVersionId: undefined,
      params: {},
    });
    for (const [index, token] of names.entries()) {
      const wanted = await ledger.mirror.findCase(SOURCE, normalizeActionToken(token));
      if (wanted === undefined) throw new Error(token);
      const state = await CaseDownloadState.of(run, log, wanted);
      await state.start();
      const filePath = pdfPathOf(wanted);
      const path = join(directory.pdfs, filePath);
      await mkdir(dirname(path), { recursive: true });
      const bytes = site.corpus.pdf(token);
      // The second is not what the ledger heard of, and of the third it heard nothing.
      await writeFile(path, index === 1 ? site.corpus.pdf(names[0] ?? '') : bytes);
      const said = { version: 1, etag: null, lastModified: null };
      const file = { ...said, filePath, sizeBytes: bytes.length, sha256: site.corpus.sha256(token) };
      if (index < 2) await run.addEvent(verifiedEvent(wanted, file));
    }
    await run.end('aborted', 'for the test');
    log.close();
    await ledger.close();
    await scrape(site, data(), { mode: 'resume' });
    const fetched = site.box.log.entries.map(({ token }) => token);
    expect(names.map((token) => fetched.includes(token))).toEqual([false, true, true]);
    expect(logOf(data())).toMatch(/decision=adopt reason=exists_ok/);
    const files = filesIn(data());
    expect(names.map((token) => files[normalizeActionToken(token)])).toEqual(
      names.map((token) => site.corpus.sha256(token)),
    );
  });
});

describe('two runs', () => {
  it('of one source are not on at once', async () => {
    const site = await startSite({ cases: 40 });
    site.box.faults.set({ kind: 'hold' });
    const first = scrape(site, data());
    await site.box.log.arrival(() => true);
    await expect(scrape(site, data())).rejects.toMatchObject({ code: ErrorCode.runOwned });
    await site.box.faults.clear();
    expect(await first).toMatchObject({ errorCounts: {} });
  });
});

describe('a dry run', () => {
  it('says how many cases a run would fetch, and leaves no run and no file', async () => {
    const site = await startSite({ cases: 40 });
    const wanted = Object.keys(perfectFiles(site)).length;
    expect(await scrape(site, data(), { dryRun: true })).toMatchObject({
      runId: 0,
      casesTargeted: wanted,
      downloadsCompleted: 0,
    });
    expect(await look(data(), ({ mirror }) => mirror.runs(SOURCE, 5))).toEqual([]);
    expect(requestsTo(site)).toEqual({ pages: 0, ajax: 0, files: 0 });
  });
});

describe('with the network switched off', () => {
  it('a run reaches nothing, and only tests and replays may have it so', async () => {
    const site = await startSite({ cases: 40 });
    const env = { BAILIIKC_REPLAY_SKIP_NETWORK: '1' };
    await expect(scrape(site, data(), {}, { env })).rejects.toMatchObject({ code: ErrorCode.configInvalid });
    await expect(scrape(site, data(), {}, { env, entrypoint: 'tests' })).rejects.toMatchObject({
      code: ErrorCode.networkClosed,
    });
    expect(site.log.entries).toEqual([]);
  });
});

describe('afterwards', () => {
  it('verify finds a changed, a missing and an orphaned file', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, data());
    const directory = mirrorDirectory(data());
    const verify = () => look(data(), ({ mirror }) => verifyFiles(mirror, directory));
    expect(await verify()).toMatchObject({ ok: true, missing: [], changed: [], orphaned: [] });
    const [changed, missing] = Object.keys(filesIn(data())).map((token) => `${SOURCE}/${token}.pdf`);
    writeFileSync(join(directory.pdfs, changed ?? ''), '%PDF');
    rmSync(join(directory.pdfs, missing ?? ''));
    writeFileSync(join(directory.pdfs, SOURCE, 'STRANGER.pdf'), '%PDF');
    expect(await verify()).toMatchObject({
      ok: false,
      missing: [missing],
      changed: [changed],
      orphaned: [`${SOURCE}/STRANGER.pdf`],
    });
  });

  it('report explains every case that is not held', async () => {
    const site = await startSite({ cases: 60 });
    const [gone, broken] = site.corpus
      .wanted('v1')
      .slice(20)
      .map(({ token }) => token);
    site.switchOn('pdf-404', { token: gone ?? '' });
    site.switchOn('ajax-500', { token: broken ?? '' });
    await scrape(site, data(), { limit: 40 });
    const report = await look(data(), ({ mirror }) => corpusCoverage(mirror, mirrorDirectory(data()), SOURCE, 0));
    expect(report.missing).toHaveLength(report.cases_wanted - report.cases_held);
    const reasons = new Map(report.missing.map(({ actions_token, reason }) => [actions_token, reason]));
    expect(reasons.get(normalizeActionToken(gone ?? ''))).toBe('http_404_not_found');
    expect(reasons.get(normalizeActionToken(broken ?? ''))).toBe('ajax_500');
    expect([...reasons.values()].filter((reason) => reason === 'never_attempted').length).toBe(
      report.missing.length - 2,
    );
    expect(report.missing.filter(({ next_action }) => next_action === '')).toEqual([]);
  });
});
