// The fetch pipeline of a mirror: one for index, pages, addresses and files, so that each host has one pace. A mirror keeps
// files and no exchanges, and so each request is told as an event.

import { createPipeline } from '../fetch/create-pipeline.ts';
import type { FileSpool } from '../fetch/download.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { Heartbeat } from '../fetch/heartbeat.ts';
import type { Patience } from '../fetch/patience.ts';
import { readMemory, type StoredUnsaved } from '../fetch/stored-memory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunId } from '../ledger/run.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { closedSockets } from '../platform/sockets.ts';
import type { MirrorConfig } from './config/mirror-config.ts';
import type { ScrapeOptions } from './scrape-options.ts';

const MB = 2 ** 20;

/** How long a host is waited for that has not answered once, as in any run. */
const PATIENCE_MS = 600_000;

/** For those who fetch no files. */
const NO_FILES: FileSpool = {
  begin: async () => {
    throw new CurlewError(ErrorCode.internal, 'A file was fetched where none should be.');
  },
};

export interface PipelineScene {
  readonly config: MirrorConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly options: Pick<ScrapeOptions, 'fetch' | 'world' | 'onWaits'>;
}

/** With what earlier runs learnt about hosts. Whoever opens it closes it. */
export async function openPipeline(
  ledger: Ledger,
  files: FileSpool,
  run: RunId | undefined,
  { config, clock, random, options }: PipelineScene,
): Promise<FetchPipeline> {
  const { rate = 1, robots = 'allow', allowHosts = [], userAgent, proxy } = options.fetch ?? {};
  const { patienceMs = PATIENCE_MS } = options.fetch ?? {};
  const memory = readMemory(run === undefined ? await memoryOfHosts(ledger) : await ledger.fetchMemory(run));
  const sockets = config.replaySkipNetwork ? closedSockets : options.world?.sockets;
  const begunAt = run === undefined ? undefined : (await ledger.run(run)).startedAt;
  const pipeline = createPipeline(
    {
      rate,
      robots,
      allowHosts,
      userAgent,
      proxy,
      maxPageBytes: 64 * MB,
      maxFileBytes: 1024 * MB,
      totalTimeoutMs: config.navTimeoutMs,
      patienceMs,
    },
    {
      files,
      memory,
      exchanges: 'told',
      clock,
      random,
      notes: ledger.notes,
      ...(sockets !== undefined && { sockets }),
      ...(begunAt !== undefined && { begunAt }),
    },
  );
  options.onWaits?.(() => pipeline.waits());
  return pipeline;
}

async function memoryOfHosts(ledger: Ledger): Promise<Parameters<typeof readMemory>[0]> {
  return { sessions: {}, hosts: await ledger.hostStates(), robots: await ledger.robotsRecords() };
}

/** Uses a pipeline that belongs to no run. What it learns of hosts is kept all the same. */
export async function withoutRun<T>(
  ledger: Ledger,
  scene: PipelineScene,
  given: Patience,
  use: (pipeline: FetchPipeline, patience: Patience) => Promise<T>,
): Promise<T> {
  const pipeline = await openPipeline(ledger, NO_FILES, undefined, scene);
  const owner = { heartbeat: (learnt: StoredUnsaved) => ledger.rememberHosts(learnt) };
  return new Heartbeat(owner, pipeline, given, systemClock).during((patience) => use(pipeline, patience));
}
