// Runs the mirror's own code again on what a run was told: no network, no files, a ledger of its own, and a clock on which
// nobody waits. The transitions must be those that were recorded.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileHostTest } from '../../fetch/guard/file-hosts.ts';
import { isoTime } from '../../ledger/iso-time.ts';
import { Ledger } from '../../ledger/ledger.ts';
import type { CaseFields, StoredCase } from '../../ledger/mirror/case-row.ts';
import type { Clock, Instant } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../../platform/errors.ts';
import { seededRandom } from '../../platform/random.ts';
import { readConfig } from '../config/mirror-config.ts';
import { DownloadError } from '../download-error.ts';
import type { CaseFiles } from '../downloads/case-files.ts';
import { CaseRunner } from '../downloads/case-runner.ts';
import { eventSink } from '../events/event-sink.ts';
import { ScraperLog } from '../events/scraper-log.ts';
import { mirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import type { JudicialClient, Source } from '../sources/source.ts';
import { SOURCES, type SourceRegistry } from '../sources/source-registry.ts';
import { failureOf, type LineOf, parseFixture, type SkippedLine } from './fixture.ts';
import { transitionsOf } from './transitions.ts';

interface ReplayedCase {
  readonly token_norm: string;
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
  readonly same: boolean;
}

export interface ReplayResult {
  readonly run_id: number;
  /** Whether every case went the same way. */
  readonly same: boolean;
  readonly cases: readonly ReplayedCase[];
  /** Lines of the fixture that cannot be read. */
  readonly skipped: readonly SkippedLine[];
}

export interface ReplayOptions {
  readonly sources?: SourceRegistry;
  /** An empty or new directory in which ledger and log of the replay are left. Default: one that is thrown away. */
  readonly sandbox?: string | undefined;
}

/** Throws `usage` when the file is no fixture, or the sandbox is not empty. */
export async function replayFixtures(path: string, options: ReplayOptions = {}): Promise<ReplayResult> {
  const { sources = SOURCES, sandbox } = options;
  const { run, lines, skipped } = parseFixture(await readText(path), path);
  const recorded = new Map(
    lines.filter((line) => line.type === 'transitions').map((line) => [line.token_norm, line.transitions]),
  );
  const addresses = queues(lines.filter((line) => line.type === 'address'));
  const files = queues(lines.filter((line) => line.type === 'file'));
  const wanted = [...recorded.keys()].flatMap((token) => addresses.get(token)?.slice(0, 1) ?? []);
  if (sandbox !== undefined) await requireEmpty(sandbox);
  const home = sandbox ?? (await mkdtemp(join(tmpdir(), 'curlew-replay-')));
  try {
    const replayed = await replay(home, run, wanted, sources.require(run.source), addresses, files);
    const cases = wanted.map(({ token_norm }) => {
      const [before, now] = [recorded.get(token_norm) ?? [], replayed.get(token_norm) ?? []];
      return { token_norm, recorded: before, replayed: now, same: before.join('\n') === now.join('\n') };
    });
    return { run_id: run.run_id, same: cases.every(({ same }) => same), cases, skipped };
  } finally {
    if (sandbox === undefined) await rm(home, { recursive: true, force: true });
  }
}

type Addresses = ReadonlyMap<string, LineOf<'address'>[]>;
type Files = ReadonlyMap<string, LineOf<'file'>[]>;

async function replay(
  home: string,
  { source: sourceId, mode, max_retries, file_hosts }: LineOf<'run'>,
  wanted: readonly LineOf<'address'>[],
  source: Source,
  addresses: Addresses,
  files: Files,
): Promise<ReadonlyMap<string, string[]>> {
  const clock = new ReplayClock();
  const ledger = await Ledger.open(home, { clock });
  const log = ScraperLog.open(mirrorDirectory(home).logs, clock);
  try {
    const cases = await plant(ledger, sourceId, wanted);
    const run = await ledger.mirror.startRun({
      source: sourceId,
      trigger: 'cli',
      mode,
      csvVersionId: undefined,
      params: { replay: true },
    });
    await run.plan(cases.map(({ id }) => id));
    const emit = eventSink(run, log, run.run);
    await emit({ label: 'REPLAY', fields: { phase: 'start', cases: cases.length } });
    const never = new AbortController().signal;
    const runner = new CaseRunner({
      run,
      log,
      emit,
      clock,
      random: seededRandom(1),
      client: replayClient(source, addresses, clock, file_hosts ?? source.fileHosts(readConfig({}).config)),
      files: replayFiles(files),
      findAdoptable: async () => undefined,
      requireRoom: async () => {},
      releaseRoom: async () => {},
      perDownloadDelayMs: 0,
      maxRetries: max_retries,
      maxParallel: 1,
      maxPending: 1,
      retryAfterSweepMs: 0,
      patience: { stop: never, abort: never },
      onSettled: () => {},
    });
    const end = await runner.run(cases);
    await emit({ label: 'REPLAY', fields: { phase: 'end' } });
    await run.end(end.status, end.status === 'completed' ? null : end.reason);
    const all = new Map<string, string[]>();
    for (const { id, actionTokenNorm } of cases) {
      all.set(actionTokenNorm, transitionsOf(await ledger.mirror.eventsOfCase(id), run.run));
    }
    return all;
  } finally {
    log.close();
    await ledger.close();
  }
}

/** Gives the answers as they came to the source's own reader; where there was none, what came of it. */
function replayClient(
  source: Source,
  addresses: Addresses,
  clock: Clock,
  fileHosts: string,
): Pick<JudicialClient, 'fetchSignedBoxUrl'> {
  const isFile = fileHostTest(fileHosts);
  return {
    async fetchSignedBoxUrl({ actionTokenNorm }) {
      const line = addresses.get(actionTokenNorm)?.shift();
      if (line === undefined) throw runOut('address');
      const answer = line.answers.at(-1);
      if (answer !== undefined) return source.readAnswer({ retryAfter: undefined, ...answer }, clock.now(), isFile);
      if (line.outcome.kind === 'error') throw failureOf(line.outcome);
      return line.outcome.box_url;
    },
  };
}

function replayFiles(files: Files): CaseFiles {
  return {
    async obtain(wanted) {
      const line = files.get(wanted.actionTokenNorm)?.shift();
      if (line === undefined) throw runOut('file');
      if (line.outcome.kind === 'error') throw failureOf(line.outcome);
      const { size_bytes: sizeBytes, sha256 } = line.outcome;
      const said = { etag: null, lastModified: null, isUnchanged: false };
      return { version: 1, filePath: pdfPathOf(wanted), sizeBytes, sha256, ...said };
    },
  };
}

/** The code asks for more than the run did: a transition that was not recorded. */
function runOut(what: string): DownloadError {
  return new DownloadError('internal_error', `the fixture has no further ${what} of this case`);
}

async function plant(ledger: Ledger, source: string, lines: readonly LineOf<'address'>[]): Promise<StoredCase[]> {
  const added = lines.map(
    ({ token_norm, case: known }): CaseFields => ({
      actionTokenRaw: known.action_token_raw,
      actionTokenNorm: token_norm,
      title: known.title,
      causeNumber: known.cause_number,
      court: known.court,
      category: known.category,
      subject: null,
      neutralCitation: null,
      judgmentDate: known.judgment_date,
      otherJson: null,
      isCriminal: false,
    }),
  );
  const version = {
    source,
    fetchedAt: isoTime(0),
    sourceUrl: '',
    etag: null,
    lastModified: null,
    sha256: '',
    rowCount: added.length,
    unreadableRows: null,
    rowsWithoutFile: null,
    filePath: '',
  };
  await ledger.mirror.storeVersion(version, () => ({ kind: 'accepted', changes: { added, kept: [], removed: [] } }));
  return ledger.mirror.cases(source);
}

/** What was recorded of each case, in order. */
function queues<Line extends LineOf<'address'> | LineOf<'file'>>(lines: readonly Line[]): Map<string, Line[]> {
  return Map.groupBy(lines, ({ token_norm }) => token_norm);
}

/** A replay writes a ledger: never into one that is there. */
async function requireEmpty(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: unknown) => {
    if (systemCodeOf(cause) === 'ENOENT') return [];
    throw new CurlewError(ErrorCode.usage, `${directory} cannot be a sandbox: ${messageOf(cause)}`, {
      remedy: 'Give a directory that is empty or not there yet.',
      cause,
    });
  });
  if (names.length === 0) return;
  throw new CurlewError(ErrorCode.usage, `${directory} cannot be a sandbox: it is not empty.`, {
    remedy: 'Give a directory that is empty or not there yet.',
  });
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CurlewError(ErrorCode.usage, `Cannot read ${path}: ${messageOf(cause)}`, {
      remedy: 'Give a file of replay_fixtures/ in a data directory.',
      cause,
    });
  });
}

/** Its time is what was waited for. */
class ReplayClock implements Clock {
  #now: Instant = 0;

  now(): Instant {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.#now += Math.max(0, ms);
  }
}
