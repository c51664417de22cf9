// Shows other processes that the owner of some work is alive, however long an answer takes, and keeps what fetching learnt.
// Work that was taken over is ended at once.

import type { FetchPipeline } from './fetch-pipeline.ts';
import type { Patience } from './patience.ts';
import { type StoredUnsaved, storeUnsaved } from './stored-memory.ts';

/** Who writes down that it is alive. Throws when somebody else has taken the work. */
export interface Beating {
  heartbeat(memory: StoredUnsaved): Promise<void>;
}

/** Real time: it is measured by those who watch from other processes. */
const BEAT_MS = 5_000;

export class Heartbeat {
  /** The caller's, and ended when the work is lost. */
  readonly patience: Patience;
  readonly #owner: Beating;
  readonly #pipeline: Pick<FetchPipeline, 'takeUnsaved'>;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(owner: Beating, pipeline: Pick<FetchPipeline, 'takeUnsaved'>, patience: Patience) {
    this.#owner = owner;
    this.#pipeline = pipeline;
    const { signal } = this.#lost;
    this.patience = {
      stop: AbortSignal.any([patience.stop, signal, patience.abort]),
      abort: AbortSignal.any([patience.abort, signal]),
    };
    this.#timer = setInterval(() => this.#beat().catch((error: unknown) => this.#lost.abort(error)), BEAT_MS);
    this.#timer.unref();
  }

  /** The last beat. Throws what made the work be lost. */
  async stop(): Promise<void> {
    this.cancel();
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
    await this.#beat();
  }

  /** Fine at any time, also twice. */
  cancel(): void {
    clearInterval(this.#timer);
  }

  #beat(): Promise<void> {
    return this.#owner.heartbeat(storeUnsaved(this.#pipeline.takeUnsaved()));
  }
}
