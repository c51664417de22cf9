// Works on a run from taking it to ending it: owns everything that is opened for it, and closes it again whatever happens.

import { ArchiveWriter } from '../archive/archive-writer.ts';
import { cutTails } from '../archive/cut-tails.ts';
import type { RunId, RunSummary } from '../ledger/run.ts';
import type { RunWriter } from '../ledger/run-writer.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnswerSource } from './answer-source.ts';
import type { DataDirectory } from './data-directory.ts';
import { Engine } from './engine.ts';
import { EventLog } from './event-log.ts';
import { finishPage } from './finish-page.ts';
import { Prober } from './prober.ts';
import { Progress } from './progress.ts';
import { Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';

export interface RunWork {
  readonly data: DataDirectory;
  readonly run: RunId;
  readonly definition: ScraperDefinition;
  readonly settings: Settings;
  /** Whether what is answered goes into the archive and may be asked for again; not so in a replay. */
  readonly archives: boolean;
  readonly openSource: () => Promise<AnswerSource>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onStarted: (engine: Engine, progress: Progress) => void;
  readonly onCommitted: () => void;
}

/** Resolves with the run's summary, also when it was stopped. Rejects when it could not go on; the run can be resumed. */
export async function workRun(work: RunWork): Promise<RunSummary> {
  const { data, run, clock } = work;
  const writer = await data.ledger.takeRun(run);
  const log = await EventLog.open(data.path, data.ledger, run, clock);
  const onCommitted = () => {
    log.notify();
    work.onCommitted();
  };
  try {
    const end = await withEngine({ ...work, onCommitted }, writer, (engine) => engine.run());
    await writer.end(end === 'completed' ? 'completed' : 'interrupted', undefined);
    const summary = await data.ledger.summary(run);
    log.write('ended', { ...summary });
    return summary;
  } catch (error) {
    log.write('ended', { error: messageOf(error) });
    await endFailed(writer, error);
    throw error;
  } finally {
    await log.close();
  }
}

async function withEngine<T>(work: RunWork, writer: RunWriter, use: (engine: Engine) => Promise<T>): Promise<T> {
  const { data, run, definition, settings, clock, random } = work;
  const closing: (() => Promise<void>)[] = [];
  try {
    const archive = work.archives ? await openArchive(work, writer, closing) : undefined;
    const source = await work.openSource();
    closing.push(() => source.close());
    const { total, invalid } = await data.ledger.recordCount(run);
    const prober = await Prober.open(definition, run, data.ledger, writer);
    const toCome = () => prober.toCome();
    const progress = new Progress(await data.ledger.countsByHost(run), { total, invalid }, clock, toCome);
    const findBody = (sha256: Uint8Array) => data.ledger.findBody(sha256);
    const engine = new Engine({
      writer,
      archive,
      source,
      seeder: new Seeder(definition, await data.ledger.seedsOf(run), writer),
      prober,
      finish: (request, outcome) =>
        finishPage(request, outcome, { definition, findBody, clock, random, retries: work.archives }),
      progress,
      clock,
      concurrency: settings.concurrency,
      sync: settings.durability === 'power',
      onCommitted: work.onCommitted,
    });
    work.onStarted(engine, progress);
    return await use(engine);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** What a crash left behind the committed ends is cut; this owner then writes to segments of its own. */
async function openArchive(
  { data, run, clock, random }: RunWork,
  writer: RunWriter,
  closing: (() => Promise<void>)[],
): Promise<ArchiveWriter> {
  await cutTails(data.archive, await data.ledger.segmentsOf(run));
  const own = new Set<number>();
  const allocateSegment = async () => {
    const segment = await writer.addSegment();
    own.add(segment);
    return segment;
  };
  const archive = await ArchiveWriter.open(data.archive, { allocateSegment, clock, random });
  closing.push(async () => {
    await archive.close();
    // A commit may have been refused after its bytes were written, and when another process has completed the run there
    // is no next start to cut them. If this fails, the error that led here is the one to tell.
    const ends = (await data.ledger.segmentsOf(run)).filter(({ segment }) => own.has(segment));
    await cutTails(data.archive, ends).catch(() => {});
  });
  return archive;
}

/** Says in the ledger why the run ended, if it still can: a full disk or a lost ownership may not let it. */
async function endFailed(writer: RunWriter, error: unknown): Promise<void> {
  const status = error instanceof CurlewError && error.code !== ErrorCode.internal ? 'interrupted' : 'failed';
  await writer.end(status, messageOf(error)).catch(() => {});
}
