// Answers from the web, through the fetch pipeline.

import { FileStore } from '../archive/file-store.ts';
import { createPipeline, type PipelineWorld } from '../fetch/create-pipeline.ts';
import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { FetchRequest } from '../fetch/fetch-request.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { readMemory } from '../fetch/stored-memory.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { RequestSpec } from '../ledger/request-spec.ts';
import type { RunId } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import type { Files } from '../platform/files.ts';
import { systemRandom } from '../platform/random.ts';
import type { AnswerSource } from './answer-source.ts';
import type { DataDirectory } from './data-directory.ts';
import { encodeBody } from './encode-body.ts';
import type { Settings } from './settings.ts';

export type World = Partial<Pick<PipelineWorld, 'clock' | 'random' | 'sockets' | 'breaker' | 'assigner'>> & {
  /** Where archive and files are. Given to the data directory by whoever opens it. */
  readonly disk?: Files;
};

export class LiveSource implements AnswerSource {
  readonly #pipeline: FetchPipeline;

  private constructor(pipeline: FetchPipeline) {
    this.#pipeline = pipeline;
  }

  /** `world` replaces parts of the real one, for tests. */
  static async open(data: DataDirectory, run: RunId, settings: Settings, world: World = {}): Promise<LiveSource> {
    const files = await FileStore.open(data.files, data.disk);
    const memory = readMemory(await data.ledger.fetchMemory(run));
    const { startedAt: begunAt } = await data.ledger.run(run);
    const real = { clock: systemClock, random: systemRandom, notes: data.ledger.notes, begunAt };
    return new LiveSource(createPipeline(settings, { ...real, ...world, files, memory }));
  }

  answer({ spec }: ClaimedRequest, patience: Patience): Promise<Outcome> {
    return this.#pipeline.fetch(fetchRequestOf(spec), patience);
  }

  takeUnsaved(): Unsaved {
    return this.#pipeline.takeUnsaved();
  }

  waits(): HostWait[] {
    return this.#pipeline.waits();
  }

  watch(onUnsaved: () => void): void {
    this.#pipeline.watch(onUnsaved);
  }

  close(): Promise<void> {
    return this.#pipeline.close();
  }
}

const NONE = {};

function fetchRequestOf(spec: RequestSpec): FetchRequest {
  return {
    method: spec.method,
    url: spec.url,
    headers: spec.headers ?? NONE,
    cookies: spec.cookies ?? NONE,
    body: spec.body === undefined ? undefined : encodeBody(spec.body),
    session: spec.session ?? 'default',
    saves: spec.saves,
    via: spec.via,
    waitFor: spec.waitFor,
  };
}
