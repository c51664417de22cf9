// Answers from the web, through the fetch pipeline.

import { FileStore } from '../archive/file-store.ts';
import { createPipeline, type PipelineWorld } from '../fetch/create-pipeline.ts';
import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { readMemory } from '../fetch/stored-memory.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { RunId } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import type { Files } from '../platform/files.ts';
import { systemRandom } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnswerSource } from './answer-source.ts';
import type { DataDirectory } from './data-directory.ts';
import { needsScraper } from './session/asked.ts';
import { fetchRequestOf } from './session/encode-request.ts';
import { RequestAsker } from './session/request-asker.ts';
import type { SavedOpenings } from './session/session-keeper.ts';
import type { Settings } from './settings.ts';

export type World = Partial<
  Pick<PipelineWorld, 'clock' | 'random' | 'sockets' | 'breaker' | 'assigner' | 'begunAt'>
> & {
  /** Where archive and files are. Given to the data directory by whoever opens it. */
  readonly disk?: Files;
};

export class LiveSource implements AnswerSource {
  readonly #pipeline: FetchPipeline;
  /** Undefined where there is no scraper. */
  readonly #asker: RequestAsker | undefined;

  private constructor(pipeline: FetchPipeline, asker: RequestAsker | undefined) {
    this.#pipeline = pipeline;
    this.#asker = asker;
  }

  /** `world` replaces parts of the real one, for tests. Without a `definition`, requests that need their scraper fail. */
  static async open(
    data: DataDirectory,
    run: RunId,
    settings: Settings,
    world: World = {},
    definition?: ScraperDefinition,
  ): Promise<LiveSource> {
    const files = await FileStore.open(data.files, data.disk);
    const { opened, ...stored } = await data.ledger.fetchMemory(run);
    const { startedAt: begunAt } = await data.ledger.run(run);
    const real = { clock: systemClock, random: systemRandom, notes: data.ledger.notes, begunAt };
    const pipeline = createPipeline(settings, { ...real, ...world, files, memory: readMemory(stored) });
    const clock = world.clock ?? systemClock;
    const parts = definition && { pipeline, definition, clock, timeoutMs: settings.stepTimeoutMs };
    return new LiveSource(pipeline, parts && new RequestAsker(parts, opened as unknown as SavedOpenings));
  }

  async answer({ spec }: ClaimedRequest, patience: Patience): Promise<Outcome> {
    if (this.#asker !== undefined) return this.#asker.answer(spec, patience);
    if (spec.signed !== undefined || spec.values !== undefined) return needsScraper();
    return this.#pipeline.fetch(fetchRequestOf(spec), patience);
  }

  takeUnsaved(): Unsaved {
    return { ...this.#pipeline.takeUnsaved(), opened: this.#asker?.sessions.takeChanged() };
  }

  waits(): HostWait[] {
    return this.#pipeline.waits();
  }

  watch(onUnsaved: () => void): void {
    this.#pipeline.watch(onUnsaved);
    this.#asker?.sessions.watch(onUnsaved);
  }

  close(): Promise<void> {
    return this.#pipeline.close();
  }
}
