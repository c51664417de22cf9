// Shows other processes that the owner of some work is alive, however long an answer takes, and keeps what fetching learnt:
// at every beat, soon after it was learnt, and when the work has ended, whatever ended it. Work that was taken over is ended at
// once.

import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { FetchPipeline } from './fetch-pipeline.ts';
import type { Patience } from './patience.ts';
import { Soon } from './soon.ts';
import { type StoredUnsaved, storeUnsaved } from './stored-memory.ts';

/** Who writes down that it is alive. Throws when somebody else has taken the work. */
export interface Beating {
  heartbeat(memory: StoredUnsaved): Promise<void>;
}

type Learning = Pick<FetchPipeline, 'takeUnsaved' | 'watch' | 'close'>;

export const HEARTBEAT_MS = 5_000;

export class Heartbeat {
  /** The caller's, and ended when the work is lost. */
  readonly #patience: Patience;
  readonly #owner: Beating;
  readonly #pipeline: Learning;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();

  constructor(owner: Beating, pipeline: Learning, patience: Patience, clock: Clock) {
    this.#owner = owner;
    this.#pipeline = pipeline;
    const { signal } = this.#lost;
    this.#patience = {
      stop: AbortSignal.any([patience.stop, signal, patience.abort]),
      abort: AbortSignal.any([patience.abort, signal]),
    };
    this.#live(clock);
    pipeline.watch(new Soon(clock, this.#over.signal, () => this.#tryToBeat()).ask);
  }

  /**
   * Beats while `work` is done, closes the pipeline, and beats once more, when nothing is under way that could be learnt from.
   * Throws what made the work be lost, else what it failed of. Once only.
   */
  async during<T>(work: (patience: Patience) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#patience).finally(() => this.#pipeline.close());
      this.#over.abort(OVER);
      this.#lost.signal.throwIfAborted();
      await this.#beat();
      return result;
    } catch (error) {
      this.#over.abort(OVER);
      // Why the work failed is what counts; it may be that nothing can be written.
      await this.#beat().catch(() => {});
      throw error;
    }
  }

  async #live(clock: Clock): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(HEARTBEAT_MS, this.#over.signal);
        await this.#tryToBeat();
      }
    } catch (error) {
      if (error !== OVER) this.#lost.abort(error);
    }
  }

  /** A full disk is for the work itself to meet, which may make room for saying so: it is not lost by a beat. */
  async #tryToBeat(): Promise<void> {
    try {
      await this.#beat();
    } catch (error) {
      if (!(error instanceof CurlewError && error.code === ErrorCode.diskFull)) this.#lost.abort(error);
    }
  }

  #beat(): Promise<void> {
    return this.#owner.heartbeat(storeUnsaved(this.#pipeline.takeUnsaved()));
  }
}

const OVER = new Error('The work is over.');
