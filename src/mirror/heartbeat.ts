// Shows other processes that the run's owner is alive, however long a case takes, and keeps what fetching learnt. A run
// that was taken over is ended at once.

import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { Patience } from '../fetch/patience.ts';
import { storeUnsaved } from '../fetch/stored-memory.ts';
import type { MirrorRunWriter } from '../ledger/mirror/mirror-run-writer.ts';

/** Real time: it is measured by those who watch from other processes. */
const BEAT_MS = 5_000;

export class Heartbeat {
  /** The caller's, and ended when the run is lost. */
  readonly patience: Patience;
  readonly #run: MirrorRunWriter;
  readonly #pipeline: FetchPipeline;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(run: MirrorRunWriter, pipeline: FetchPipeline, patience: Patience) {
    this.#run = run;
    this.#pipeline = pipeline;
    const { signal } = this.#lost;
    this.patience = {
      stop: AbortSignal.any([patience.stop, signal, patience.abort]),
      abort: AbortSignal.any([patience.abort, signal]),
    };
    this.#timer = setInterval(() => this.#beat().catch((error: unknown) => this.#lost.abort(error)), BEAT_MS);
    this.#timer.unref();
  }

  /** The last beat. Throws what made the run be lost. */
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
    return this.#run.heartbeat(storeUnsaved(this.#pipeline.takeUnsaved()));
  }
}
