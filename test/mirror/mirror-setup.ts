// A mirror in a scratch directory: a real ledger file, a real pipeline, and a court's index served over HTTP.

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FileStore } from '../../src/archive/file-store.ts';
import { createPipeline } from '../../src/fetch/create-pipeline.ts';
import { NO_MEMORY } from '../../src/fetch/fetch-memory.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { StoredCase } from '../../src/ledger/mirror/case-row.ts';
import type { MirrorRunWriter } from '../../src/ledger/mirror/mirror-run-writer.ts';
import { CaseDownloadState } from '../../src/mirror/case-download-state.ts';
import { readConfig } from '../../src/mirror/config/mirror-config.ts';
import type { CsvSyncResult } from '../../src/mirror/csv/csv-sync-result.ts';
import { type SyncContext, syncCsv } from '../../src/mirror/csv/sync-csv.ts';
import { eventSink } from '../../src/mirror/events/event-sink.ts';
import { ScraperLog } from '../../src/mirror/events/scraper-log.ts';
import { mirrorDirectory, pdfPathOf } from '../../src/mirror/mirror-directory.ts';
import { inspectPdfFile } from '../../src/mirror/pdf/pdf-inspector.ts';
import { paramsJson, type ScrapeParams } from '../../src/mirror/scrape-params.ts';
import { unreportedJudgments } from '../../src/mirror/sources/judicial-ky/unreported-judgments.ts';
import { buildWorklist } from '../../src/mirror/worklist/build-worklist.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { seededRandom } from '../../src/platform/random.ts';

export const SOURCE = unreportedJudgments.id;
const HEADER = 'Neutral Citation,Cause Number,Judgment Date,Title,Subject,Court,Category,Actions';

export interface IndexRow {
  readonly token: string;
  readonly title?: string;
  readonly category?: string;
  readonly date?: string;
}

export function csvOf(rows: readonly IndexRow[]): string {
  const lines = rows.map(
    ({ token, title = `Re ${token}`, category = 'Civil', date = '2025-Nov-06' }) =>
      `[2025] CIGC 1,FSD 1 OF 2025,${date},${title},Winding up,Grand Court,${category},${token}`,
  );
  return `${[HEADER, ...lines].join('\r\n')}\r\n`;
}

/** `count` cases called `T0001` and so on. */
export function rows(count: number, from = 1): IndexRow[] {
  return Array.from({ length: count }, (_, index) => ({ token: `T${String(from + index).padStart(4, '0')}` }));
}

export interface IndexServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** What the next requests get. With an etag, a request that has it gets 304. */
  serve(body: string | Buffer, options?: { status?: number; etag?: string; type?: string }): void;
}

export async function indexServer(): Promise<IndexServer> {
  let answer: { body: string | Buffer; status: number; etag: string | undefined; type: string };
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    requests.push(request);
    const { body, status, etag, type } = answer;
    if (etag !== undefined && request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(status, { 'content-type': type, ...(etag && { etag }) }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/judgments.csv`,
    requests,
    serve(body, { status = 200, etag, type = 'text/csv' } = {}) {
      answer = { body, status, etag, type };
    },
  };
}

export type TestMirror = Awaited<ReturnType<typeof openMirror>>;

export async function openMirror(data: string, server: IndexServer, clock = new FakeClock()) {
  const ledger = await Ledger.open(data, { clock });
  const directory = mirrorDirectory(data);
  const log = ScraperLog.open(directory.logs, clock);
  // A clock that flies: the index is asked for again after seconds that nobody waits for.
  const flying = { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep: async () => {} };
  const pipeline = createPipeline(
    {
      rate: 'off',
      robots: 'allow',
      allowHosts: ['127.0.0.1'],
      maxPageBytes: 2 ** 24,
      maxFileBytes: 2 ** 24,
      totalTimeoutMs: 10_000,
    },
    { clock: flying, random: seededRandom(1), files: await FileStore.open(join(data, 'files')), memory: NO_MEMORY },
  );
  onTestFinished(async () => {
    await pipeline.close();
    log.close();
    await ledger.close();
  });
  const { config } = readConfig({ BAILIIKC_UJ_CSV_URL: server.url });
  const signal = new AbortController().signal;
  const context: SyncContext = {
    source: unreportedJudgments,
    config,
    ledger: ledger.mirror,
    directory,
    pipeline,
    clock: flying,
    emit: eventSink(ledger.mirror, log),
    log,
    patience: { stop: signal, abort: signal },
  };
  const params = (given: Partial<ScrapeParams> = {}): ScrapeParams => ({
    mode: 'new',
    targetSource: SOURCE,
    perDownloadDelayMs: 0,
    maxRetries: 3,
    concurrency: 1,
    resumeStrategy: 'auto',
    dryRun: false,
    limit: undefined,
    trigger: 'cli',
    acceptShrink: false,
    ...given,
  });
  /** Each sync is a second after the one before. */
  const sync = async (given: Partial<SyncContext> = {}): Promise<CsvSyncResult> => {
    await clock.advance(1_000);
    return syncCsv({ ...context, ...given });
  };
  const versionId = async () => {
    const version = await ledger.mirror.lastGoodVersion(SOURCE);
    if (version === undefined) throw new Error('no index yet');
    return version.id;
  };
  const caseOf = async (token: string): Promise<StoredCase> => {
    const found = await ledger.mirror.findCase(SOURCE, token);
    if (found === undefined) throw new Error(`no case ${token}`);
    return found;
  };
  const start = async (given: Partial<ScrapeParams> = {}): Promise<MirrorRunWriter> => {
    const { mode, trigger, ...rest } = params(given);
    return ledger.mirror.startRun({
      source: SOURCE,
      trigger,
      mode,
      csvVersionId: await versionId(),
      params: paramsJson({ mode, trigger, ...rest }),
    });
  };
  const worklist = async (given: Partial<ScrapeParams> = {}, run?: MirrorRunWriter) =>
    buildWorklist(params(given), {
      facts: await ledger.mirror.caseFacts(SOURCE),
      ledger: ledger.mirror,
      directory,
      clock,
      staleAfterMs: config.staleAfterMs,
      versionId: await versionId(),
      ownRun: run?.run,
    });
  /** As the download does it: the file first, the ledger then. */
  const store = async (run: MirrorRunWriter, wanted: StoredCase): Promise<void> => {
    const filePath = pdfPathOf(wanted);
    await mkdir(dirname(join(directory.pdfs, filePath)), { recursive: true });
    await writeFile(join(directory.pdfs, filePath), pdfOf(wanted.actionTokenNorm));
    const { sizeBytes, sha256 } = await inspectPdfFile(join(directory.pdfs, filePath));
    const state = await CaseDownloadState.of(run, log, wanted);
    await state.start();
    const file = { version: 1, filePath, sizeBytes, sha256, etag: null, lastModified: null };
    await state.markDownloaded(file, 'https://dl.boxcloud.com/d/1/b1!hunter2/download?x=1');
  };
  const mirror = ledger.mirror;
  return { data, ledger, mirror, directory, log, clock, context, config, sync, caseOf, start, worklist, store };
}

export function pdfOf(text: string): string {
  return `%PDF-1.7\n${`${text}\n`.repeat(300)}%%EOF\n`;
}
