// The way in from code: begin a run, go on with one, or replay one.

import { join } from 'node:path';
import { translate } from '../ledger/database.ts';
import { LEDGER_FILE } from '../ledger/ledger.ts';
import type { StoredRecord } from '../ledger/record-table.ts';
import { type RunId, type RunSummary, readable, type Trigger } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import { systemRandom } from '../platform/random.ts';
import { defineScraper, type ScraperDefinition } from '../scraper/definition.ts';
import type { Scraper } from '../scraper/scraper.ts';
import { ArchiveSource } from './archive-source.ts';
import { assertResumable, assertSameWaysIn } from './assert-same-scraper.ts';
import { type DataDirectory, openData } from './data-directory.ts';
import type { Engine } from './engine.ts';
import { LiveSource, type World } from './live-source.ts';
import { observations } from './observations.ts';
import { planWalks, type WalkStart } from './plan-walks.ts';
import type { Progress, RunProgress } from './progress.ts';
import { assertSomething, planEntries, readScraperParams } from './read-params.ts';
import { RecordStream } from './record-stream.ts';
import { readSettings, type Settings, type SettingsInput } from './settings.ts';
import { type RunWork, workRun } from './work-run.ts';

/** Where a run is kept, and how it is worked off. Settings that are not given have their defaults. */
export interface RunOptions extends SettingsInput {
  /** Directory of the ledger, the archive and the files. Made if need be. */
  readonly data: string;
  /**
   * The file that exports the scraper's class as default: the command line can then resume the run, and steps that take long
   * run in threads of their own.
   */
  readonly source?: string;
  /** Who asked for it, for whoever looks at the run. Default `cli`. */
  readonly trigger?: Trigger;
  /** Where speculators start: as declared, from what earlier runs observed, or from that and its holes. */
  readonly walkFrom?: WalkStart;
  /** @internal Parts of the world to be replaced, for tests. */
  readonly world?: World;
}

/** A run under way. Whoever awaits nothing of it still gets it done. */
export interface RunHandle {
  /** Resolves when the run exists in the ledger. */
  readonly id: Promise<RunId>;
  /** Resolves when the run has ended, also when it was stopped; rejects when it could not go on. */
  readonly summary: Promise<RunSummary>;
  /** Every record of the run, as it is committed. Ends with the run. */
  readonly records: AsyncIterable<StoredRecord>;
  /** Undefined until the first request can be made. */
  progress(): RunProgress | undefined;
  /** `gently` finishes what is on the wire; `now` does not. Either way the run can be resumed. */
  stop(how?: 'gently' | 'now'): void;
}

/**
 * Begins a run of `scraper`.
 *
 * @example
 * const court = run(new CountyCourt(), { data: './curlew-data' });
 * for await (const { kind, data } of court.records) console.log(kind, data);
 * console.log((await court.summary).health);
 */
export function run(scraper: Scraper, options: RunOptions): RunHandle {
  const { data: path, source, trigger = 'cli', walkFrom = 'declared', world = {}, ...given } = options;
  return start(path, world, () => {
    // What can be refused without a ledger is refused before there is one.
    const settings = readSettings(given);
    const definition = defineScraper(scraper, settings.baseUrl);
    const asked = readScraperParams(definition.name, scraper.params);
    const seeds = planEntries(definition, asked);
    assertSomething(definition, seeds, planWalks(definition, asked, 'declared', []));
    return async (data) => {
      data.ledger.setDurability(settings.durability);
      const { name } = definition;
      const observed = await observations(data.ledger, name, source, walkFrom);
      const walks = planWalks(definition, asked, walkFrom, observed);
      // Runs that start from another one are asked for something else, and are not compared with those that do not.
      const params = plain({ ...scraper.params, ...(walkFrom !== 'declared' && { walkFrom }) });
      const created = { kind: 'scraper', trigger, name, source, params, replayOf: undefined } as const;
      const id = await data.ledger.createRun({ ...created, settings: saved(settings) }, seeds, walks);
      return { ...live(data, id, definition, settings, world), file: source };
    };
  });
}

/** Which run to go on with. Settings that are not given are those it was begun with. */
export interface ResumeOptions extends SettingsInput {
  /** Directory of the ledger, the archive and the files. */
  readonly data: string;
  /** Number of the run, or `latest`. */
  readonly run: number | 'latest';
  /**
   * Fetch pages again whose bytes the archive has lost; what was said of them is taken back until then. Default: a run that
   * has lost some is refused with `archive_damaged`.
   */
  readonly refetchLost?: boolean;
  /** @internal Parts of the world to be replaced, for tests. */
  readonly world?: World;
}

/** Goes on with a run that was interrupted, with the settings it was begun with unless others are given. */
export function resume(scraper: Scraper, options: ResumeOptions): RunHandle {
  return resumeIn(scraper, options, () => ({}));
}

/** @internal As `resume`, in a world of which parts depend on the data directory. */
export function resumeIn(
  scraper: Scraper,
  options: ResumeOptions,
  worldOf: (data: DataDirectory) => Pick<World, 'assigner'>,
): RunHandle {
  const { data: path, run: reference, refetchLost = false, world = {}, ...given } = options;
  return start(path, world, () => async (data) => {
    const begun = readable(await data.ledger.run(reference));
    const settings = readSettings({ ...(begun.settings as object), ...given });
    data.ledger.setDurability(settings.durability);
    const definition = defineScraper(scraper, settings.baseUrl);
    await assertResumable(definition, data.ledger, begun.id);
    const file = begun.source;
    if (begun.replayOf !== undefined) {
      return { ...replaying(data, begun.id, begun.replayOf, definition, settings), file };
    }
    return { ...live(data, begun.id, definition, settings, { ...world, ...worldOf(data) }), file, refetchLost };
  });
}

/** Which run to replay. Limits of its steps that are not given are those it was begun with. */
export interface ReplayOptions extends Pick<SettingsInput, 'stepTimeoutMs' | 'stepMemoryMb'> {
  /** Directory of the ledger, the archive and the files. The replay is kept there too. */
  readonly data: string;
  /** Number of the run to replay, or `latest`. */
  readonly run: number | 'latest';
  /** The file that exports the scraper's class as default: its steps then run on all processors. */
  readonly source?: string;
  /** Who asked for it, for whoever looks at the run. Default `cli`. */
  readonly trigger?: Trigger;
}

/**
 * Runs the steps of `scraper` again on the pages that a run has archived, as a run of its own. Opens no connection: what
 * was not archived is `unknown`.
 */
export function replay(scraper: Scraper, options: ReplayOptions): RunHandle {
  const { data: path, run: reference, source, trigger = 'cli', ...limits } = options;
  return start(path, {}, () => async (data) => {
    const original = readable(await data.ledger.run(reference));
    const settings = readSettings({ ...(original.settings as object), ...limits });
    data.ledger.setDurability(settings.durability);
    const definition = defineScraper(scraper, settings.baseUrl);
    const { name } = definition;
    const seeds = await data.ledger.seedsOf(original.id);
    const walks = await data.ledger.walksOf(original.id);
    assertSameWaysIn(definition, seeds, walks);
    const created = { kind: 'replay', trigger, name, source, params: original.params, replayOf: original.id } as const;
    const id = await data.ledger.createRun({ ...created, settings: saved(settings) }, seeds, walks);
    return { ...replaying(data, id, original.id, definition, settings), file: source };
  });
}

function live(
  data: DataDirectory,
  id: RunId,
  definition: ScraperDefinition,
  settings: Settings,
  world: World = {},
): Begun {
  const openSource = () => LiveSource.open(data, id, settings, world, definition);
  return { id, definition, settings, openSource, archives: true };
}

function replaying(
  data: DataDirectory,
  id: RunId,
  original: RunId,
  definition: ScraperDefinition,
  settings: Settings,
): Begun {
  const openSource = async () => new ArchiveSource(data, original, settings, definition);
  return { id, definition, settings, openSource, archives: false };
}

/** A run that exists in the ledger and waits to be worked on. */
type Begun = Pick<RunWork, 'definition' | 'file' | 'settings' | 'openSource' | 'archives' | 'refetchLost'> & {
  readonly id: RunId;
};
type Begin = (data: DataDirectory) => Promise<Begun>;

/** `plan` is asked before the data directory is opened, and made if need be. */
function start(path: string, { disk }: Pick<World, 'disk'>, plan: () => Begin): RunHandle {
  const begun = Promise.withResolvers<RunId>();
  const stream = new RecordStream();
  const control: { engine?: Engine; progress?: Progress; stop?: 'gently' | 'now' } = {};
  const summary = work();
  summary.then(
    () => stream.end(),
    () => stream.end(),
  );
  begun.promise.catch(() => {}); // The same error comes out of `summary`.

  async function work(): Promise<RunSummary> {
    let data: DataDirectory | undefined;
    try {
      const begin = plan();
      data = await openData(path, { clock: systemClock, disk });
      const { id, ...rest } = await begin(data);
      begun.resolve(id);
      return await workRun({
        ...rest,
        data,
        run: id,
        clock: systemClock,
        random: systemRandom,
        onStarted(engine, progress) {
          Object.assign(control, { engine, progress });
          if (control.stop !== undefined) engine.stop(control.stop);
        },
        onCommitted: () => stream.notify(),
      });
    } catch (error) {
      const translated = translate(join(path, LEDGER_FILE), error);
      begun.reject(translated);
      throw translated;
    } finally {
      await data?.ledger.close();
    }
  }

  async function* records(): AsyncGenerator<StoredRecord, void> {
    const id = await begun.promise;
    const data = await openData(path, { clock: systemClock, readOnly: true });
    try {
      yield* stream.read(data.ledger, id);
      await summary;
    } finally {
      await data.ledger.close();
    }
  }

  return {
    id: begun.promise,
    summary,
    records: { [Symbol.asyncIterator]: records },
    progress: () => control.progress,
    stop(how = 'gently') {
      control.stop = how;
      control.engine?.stop(how);
    },
  };
}

/** Settings as the ledger stores them: without the proxy, which may hold a password. It is given anew to a resume. */
export function saved({ proxy: _, ...settings }: Settings): Json {
  return plain(settings);
}

/** Checked values as the ledger stores them. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
