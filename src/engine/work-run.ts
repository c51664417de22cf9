// Works on a run from taking it to ending it: owns everything that is opened for it, and closes it again whatever happens.

import { storeUnsaved } from '../fetch/stored-memory.ts';
import type { StoredWalk } from '../ledger/probe.ts';
import type { RunId, RunSummary } from '../ledger/run.ts';
import type { UnsavedMemory } from '../ledger/run-writer.ts';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnswerSource } from './answer-source.ts';
import type { DataDirectory } from './data-directory.ts';
import { Engine } from './engine.ts';
import { EventLog } from './event-log.ts';
import { planReading } from './finish-page.ts';
import { Prober } from './prober.ts';
import { Progress } from './progress.ts';
import { RedirectWatch } from './redirect-watch.ts';
import { Scribe } from './scribe.ts';
import { Seeder } from './seeder.ts';
import type { Settings } from './settings.ts';
import { stepSourceOf } from './steps/step-source.ts';

export interface RunWork {
  readonly data: DataDirectory;
  readonly run: RunId;
  readonly definition: ScraperDefinition;
  /** The file that exports the scraper, if the caller names one: other threads then load it. */
  readonly file?: string | undefined;
  readonly settings: Settings;
  /** Whether what is answered goes into the archive and may be asked for again; not so in a replay. */
  readonly archives: boolean;
  /** Whether pages whose bytes the archive lost are fetched again. Default: no, the run is refused. */
  readonly refetchLost?: boolean;
  readonly openSource: () => Promise<AnswerSource>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onStarted: (engine: Engine, progress: Progress) => void;
  readonly onCommitted: () => void;
}

/** Resolves with the run's summary, also when it was stopped. Rejects when it could not go on; the run can be resumed. */
export async function workRun(work: RunWork): Promise<RunSummary> {
  const { data, run, settings, archives, refetchLost = false, clock, random } = work;
  const sync = settings.durability === 'power';
  const how = { run, archives, sync, redacts: settings.redactArchive, refetchLost };
  const scribe = await Scribe.open(data, how, { clock, random });
  const log = await EventLog.open(data.path, data.ledger, run, clock);
  const onCommitted = () => {
    log.notify();
    work.onCommitted();
  };
  try {
    const end = await withEngine({ ...work, onCommitted }, scribe, (engine) => engine.run());
    await scribe.end(end === 'completed' ? 'completed' : 'interrupted', undefined);
    const summary = await data.ledger.summary(run);
    log.write('ended', { ...summary });
    return summary;
  } catch (error) {
    log.write('ended', { error: messageOf(error) });
    await scribe.fail(error);
    throw error;
  } finally {
    await log.close();
  }
}

async function withEngine<T>(work: RunWork, scribe: Scribe, use: (engine: Engine) => Promise<T>): Promise<T> {
  const { data, run, definition, settings, clock, random } = work;
  const source = await work.openSource();
  try {
    const { total, invalid } = await data.ledger.recordCount(run);
    const prober = await Prober.open(definition, run, data.ledger, scribe, settings.stepTimeoutMs);
    const walks = await data.ledger.walksOf(run);
    const inheriting = inheritingIn(walks);
    const redirects = new RedirectWatch(definition, walks);
    const toCome = () => prober.toCome();
    const counts = await data.ledger.countsByHost(run);
    const progress = new Progress(counts, { total, invalid }, clock, toCome, () => source.waits());
    const engine = new Engine({
      scribe,
      source,
      seeder: new Seeder(definition, await data.ledger.seedsOf(run), scribe, settings.stepTimeoutMs),
      prober,
      plan: (request, outcome) => {
        // A replay has its end in what was archived.
        if (work.archives) redirects.note(request, outcome);
        return planReading(request, outcome, { definition, clock, random, retries: work.archives });
      },
      reading: {
        definition,
        inheriting,
        limits: { timeoutMs: settings.stepTimeoutMs, memoryMb: settings.stepMemoryMb },
        source: stepSourceOf(definition, work.file),
      },
      progress,
      clock,
      concurrency: settings.concurrency,
      setAside: await data.ledger.countSetAside(run),
      onCommitted: work.onCommitted,
    });
    work.onStarted(engine, progress);
    const end = await use(engine);
    await source.close();
    await scribe.heartbeat(unsavedOf(source));
    return end;
  } catch (error) {
    await source.close();
    // Why the run cannot go on is what counts; it may be that nothing can be written.
    await scribe.heartbeat(unsavedOf(source)).catch(() => {});
    throw error;
  }
}

/** What was learnt last, when nothing is under way any more. */
function unsavedOf(source: AnswerSource): UnsavedMemory | undefined {
  const unsaved = source.takeUnsaved();
  return unsaved && storeUnsaved(unsaved);
}

/** The speculators whose ids take over what becomes of a request that the run has already. */
function inheritingIn(walks: readonly StoredWalk[]): string[] {
  return [...new Set(walks.flatMap(({ onDuplicate, speculator }) => (onDuplicate === 'inherit' ? [speculator] : [])))];
}
