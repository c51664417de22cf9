// One run of the mirror, from the index to the last file. The ledger is told every step before the next is taken; whatever
// ends the run, it ends with a status, and what is left is what a resume takes up.

import { join } from 'node:path';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { fileHostTest } from '../fetch/guard/file-hosts.ts';
import { Heartbeat } from '../fetch/heartbeat.ts';
import { PATIENT, type Patience } from '../fetch/patience.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { StoredCase } from '../ledger/mirror/case-row.ts';
import { sayStaleIndex, sayUnreadableRows } from '../ledger/mirror/index-use.ts';
import type { MirrorRunWriter } from '../ledger/mirror/mirror-run-writer.ts';
import type { RunId } from '../ledger/run.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import { type Files, systemFiles } from '../platform/files.ts';
import { type Random, systemRandom } from '../platform/random.ts';
import type { MirrorConfig } from './config/mirror-config.ts';
import { validateRuntimeConfig } from './config/validate-runtime-config.ts';
import type { CsvSyncResult } from './csv/csv-sync-result.ts';
import { syncCsv } from './csv/sync-csv.ts';
import { findAdoptable } from './downloads/adopt-file.ts';
import { BoxFiles } from './downloads/case-files.ts';
import { CaseRunner, type RunEnd } from './downloads/case-runner.ts';
import { DiskRoom, type HeldTotal } from './downloads/disk-room.ts';
import { PdfSpool } from './downloads/pdf-spool.ts';
import { Quarantine } from './downloads/quarantine.ts';
import { type Emit, eventSink } from './events/event-sink.ts';
import { ScraperLog } from './events/scraper-log.ts';
import { type MirrorDirectory, mirrorDirectory } from './mirror-directory.ts';
import { openPipeline, withoutRun } from './open-pipeline.ts';
import { planEvent } from './plan-event.ts';
import { FixtureRecorder } from './replay/fixture-recorder.ts';
import { RestartingClient } from './restarting-client.ts';
import type { ScrapeOptions } from './scrape-options.ts';
import { paramsJson, type ScrapeParams } from './scrape-params.ts';
import { type ScrapeProgress, settle } from './scrape-progress.ts';
import type { Source } from './sources/source.ts';
import { SOURCES } from './sources/source-registry.ts';
import { type MirrorRunSummary, summariseRun } from './summarise-run.ts';
import { buildWorklist } from './worklist/build-worklist.ts';

/** Everything that a run has opened. */
interface Scene {
  readonly params: ScrapeParams;
  readonly source: Source;
  readonly config: MirrorConfig;
  readonly ledger: Ledger;
  readonly directory: MirrorDirectory;
  readonly log: ScraperLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly options: ScrapeOptions;
}

/** See `on-demand.ts`, by which the package exports it. */
export async function runScrape(params: ScrapeParams, options: ScrapeOptions = {}): Promise<MirrorRunSummary> {
  const { env = process.env, world = {} } = options;
  const { config, warnings } = validateRuntimeConfig(options.entrypoint ?? params.trigger, params.mode, env);
  const source = (options.sources ?? SOURCES).require(params.targetSource);
  const { clock = systemClock, random = systemRandom, files = systemFiles } = world;
  const directory = mirrorDirectory(options.data ?? env.CURLEW_DATA ?? './curlew-data');
  const ledger = await Ledger.open(directory.path, { clock });
  const log = ScraperLog.open(directory.logs, clock);
  const scene = {
    params: { ...params, targetSource: source.id },
    source,
    config,
    ledger,
    directory,
    log,
    clock,
    random,
  };
  try {
    const emit = eventSink(ledger.mirror, log);
    for (const warning of warnings) await emit({ label: 'ERROR', fields: { phase: 'config', warning } });
    return await (params.dryRun ? dryRun : recordedRun)({ ...scene, files, options });
  } finally {
    log.close();
    await ledger.close();
  }
}

/** Plans on the newest index, and leaves no run. */
async function dryRun(scene: Scene): Promise<MirrorRunSummary> {
  const { ledger, log, clock } = scene;
  const emit = eventSink(ledger.mirror, log);
  const startedAt = clock.now();
  const {
    cases,
    held: _,
    ...planned
  } = await withoutRun(ledger, scene, scene.options.patience ?? PATIENT, (pipeline, patience) =>
    plan(scene, pipeline, emit, undefined, patience),
  );
  return summariseRun({ ...planned, casesTargeted: cases.length, startedAt, endedAt: clock.now() });
}

async function recordedRun(scene: Scene): Promise<MirrorRunSummary> {
  const { params, source, ledger, log, directory, files } = scene;
  const { mode, trigger } = params;
  const run = await ledger.mirror.startRun({
    source: source.id,
    trigger,
    mode,
    csvVersionId: undefined,
    params: paramsJson(params),
  });
  const emit = eventSink(run, log, run.run);
  try {
    await emit({ label: 'STATE', fields: { phase: 'run', step: 'start', mode, trigger, source: source.id } });
    const spool = await PdfSpool.open(join(directory.partial, source.id), files);
    const pipeline = await openPipeline(ledger, spool, run.run, scene);
    // In real time: it is measured by those who watch from other processes.
    const heartbeat = new Heartbeat(run, pipeline, scene.options.patience ?? PATIENT, systemClock);
    const end = await heartbeat.during((patience) => work(scene, run, pipeline, spool, emit, patience));
    const reason = end.status === 'completed' ? null : end.reason;
    await emit({ label: 'STATE', fields: { phase: 'run', step: 'end', status: end.status, reason } });
    await run.end(end.status, reason);
    return await summariseLedgerRun(ledger, run.run);
  } catch (error) {
    const event = { label: 'ERROR', fields: { phase: 'run', error_message: messageOf(error) } } as const;
    // A full disk or a lost ownership may not let us say so; the next start will.
    await emit(event).catch(() => {});
    await run.end('failed', messageOf(error)).catch(() => {});
    throw error;
  }
}

/** The index, the plan and the cases. */
async function work(
  scene: Scene,
  run: MirrorRunWriter,
  pipeline: FetchPipeline,
  spool: PdfSpool,
  emit: Emit,
  patience: Patience,
): Promise<RunEnd> {
  const { params, source, config, ledger, directory, log, clock, random, files, options } = scene;
  let planned: Plan;
  try {
    planned = await plan(scene, pipeline, emit, run, patience);
  } catch (error) {
    const isStopped = [patience.stop, patience.abort].some(({ aborted, reason }) => aborted && error === reason);
    if (isStopped) return STOPPED_EARLY;
    throw error;
  }
  const { cases, held } = planned;
  const room = new DiskRoom(directory.path, join(directory.partial, source.id), config.minFreeMb, files);
  await emit(await room.estimate(cases.length, held));
  await room.reserve();
  const recorder = config.recordReplayFixtures
    ? FixtureRecorder.open(directory.replayFixtures, {
        run_id: run.run,
        source: source.id,
        mode: params.mode,
        max_retries: params.maxRetries,
        file_hosts: source.fileHosts(config),
      })
    : undefined;
  const observe = (answer: Parameters<FixtureRecorder['observe']>[0]) => recorder?.observe(answer);
  const kind = options.client ?? 'http';
  const isFile = fileHostTest(source.fileHosts(config));
  const open = () => source.openClient({ kind, config, pipeline, isFile, clock, emit, observe, patience });
  const client = new RestartingClient({ open, clock, emit });
  const boxFiles = new BoxFiles({
    pipeline,
    spool,
    clock,
    timeoutMs: config.downloadTimeoutMs,
    isFile,
    directory,
    files,
    emit,
    quarantine: new Quarantine(directory, config.quarantineMb * 2 ** 20, files),
    heldOf: async (id) => (await ledger.mirror.factsOfCase(id))?.held,
    // Who names a case wants its bytes.
    asksForNewsOnly: params.cases === undefined,
  });
  const began = clock.monotonic();
  let progress: ScrapeProgress = {
    runId: run.run,
    planned: cases.length,
    downloaded: 0,
    failed: 0,
    bytes: 0,
    elapsedMs: 0,
  };
  options.onProgress?.(progress);
  const runner = new CaseRunner({
    run,
    log,
    emit,
    clock,
    random,
    client: recorder?.client(client) ?? client,
    files: recorder?.files(boxFiles) ?? boxFiles,
    // A case that is named is to come from the court, whatever is in its place.
    findAdoptable: async (wanted) =>
      params.cases === undefined ? findAdoptable(ledger.mirror, directory, files, wanted, params.mode) : undefined,
    requireRoom: () => room.require(),
    releaseRoom: () => room.release(),
    perDownloadDelayMs: params.perDownloadDelayMs,
    maxRetries: params.maxRetries,
    maxParallel: config.enableDownloadExecutor ? Math.max(1, params.concurrency) : 1,
    maxPending: config.maxPendingDownloads,
    retryAfterSweepMs: config.retryAfterSweepMs,
    patience,
    onSettled: (settled) => {
      progress = settle(progress, settled, clock.monotonic() - began);
      options.onProgress?.(progress);
    },
  });
  try {
    return await runner.run(cases);
  } finally {
    await client.close();
    await recorder?.close(ledger.mirror);
    await room.release();
  }
}

/** Only this is kept for the length of the run: what else is known of the cases is large, and read when it is needed. */
interface Plan {
  readonly cases: readonly StoredCase[];
  /** Active ones of the source. */
  readonly casesTotal: number;
  /** What the ledger says is held already. */
  readonly held: HeldTotal;
  /** As in the summary of the run. */
  readonly staleIndex: string | undefined;
  readonly unreadableRows: string | undefined;
}

/** Brings the index up to date and says what is to be fetched. */
async function plan(
  scene: Scene,
  pipeline: FetchPipeline,
  emit: Emit,
  run: MirrorRunWriter | undefined,
  patience: Patience,
): Promise<Plan> {
  const { params, source, config, ledger, directory, files, log, clock } = scene;
  const { acceptShrink } = params;
  const context = { source, config, directory, files, pipeline, clock, emit, log, patience, acceptShrink };
  const sync = await syncCsv({ ...context, ledger: ledger.mirror, run: run?.run });
  await run?.setCsvVersion(sync.versionId, sync.refused?.versionId);
  const facts = await ledger.mirror.caseFacts(source.id);
  const worklist = await buildWorklist(params, {
    facts,
    ledger: ledger.mirror,
    directory,
    clock,
    staleAfterMs: config.staleAfterMs,
    versionId: sync.versionId,
    ownRun: run?.run,
  });
  const cases = worklist.planned.map((planned) => planned.case);
  await run?.plan(cases.map(({ id }) => id));
  await emit(planEvent(params, sync, await ledger.mirror.version(sync.versionId), worklist));
  const held = facts.flatMap((fact) => (fact.held === undefined ? [] : [fact.held.sizeBytes]));
  return {
    cases,
    casesTotal: facts.filter((fact) => fact.case.isActive).length,
    held: { files: held.length, bytes: held.reduce((sum, size) => sum + size, 0) },
    staleIndex: await sayRefused(ledger, sync),
    unreadableRows: sync.unreadableRows,
  };
}

async function sayRefused({ mirror }: Ledger, { versionId, refused }: CsvSyncResult): Promise<string | undefined> {
  if (refused === undefined) return undefined;
  const [used, other] = [await mirror.version(versionId), await mirror.version(refused.versionId)];
  return used === undefined || other === undefined ? refused.reason : sayStaleIndex({ used, refused: other });
}

async function summariseLedgerRun(ledger: Ledger, id: RunId): Promise<MirrorRunSummary> {
  const run = await ledger.mirror.run(id);
  const { byStatus, failReasons } = await ledger.mirror.countDownloads(id);
  const stale = await ledger.mirror.staleIndexOf(id);
  const unreadable = await ledger.mirror.unreadableIndexOf(id);
  return summariseRun({
    runId: id,
    casesTotal: run?.coverage?.casesTotal ?? 0,
    casesTargeted: run?.coverage?.casesPlanned ?? 0,
    downloadsCompleted: byStatus.downloaded,
    downloadsFailed: byStatus.failed,
    downloadsSkipped: byStatus.skipped,
    errorCounts: failReasons,
    filesAmended: await ledger.mirror.countAmended(id),
    staleIndex: stale && sayStaleIndex(stale),
    unreadableRows: unreadable && sayUnreadableRows(unreadable),
    startedAt: Date.parse(run?.startedAt ?? ''),
    endedAt: Date.parse(run?.endedAt ?? ''),
  });
}

const STOPPED_EARLY: RunEnd = { status: 'aborted', reason: 'It was stopped.', isStopped: true };
