// The client of a run, opened when it is first needed and again when it broke: three times at most, after growing waits.
// This has nothing to do with the attempts of a case: a browser that does not start is no case's fault.

import type { Patience } from '../fetch/patience.ts';
import type { StoredCase } from '../ledger/mirror/case-row.ts';
import type { Clock } from '../platform/clock.ts';
import { DownloadError } from './download-error.ts';
import type { Emit } from './events/event-sink.ts';
import type { JudicialClient } from './sources/source.ts';

const RESTART_WAITS_MS = [5_000, 15_000, 45_000] as const;

export interface RestartingClientOptions {
  readonly open: () => Promise<JudicialClient>;
  readonly clock: Clock;
  readonly emit: Emit;
}

export class RestartingClient implements JudicialClient {
  readonly #options: RestartingClientOptions;
  #client: JudicialClient | undefined;
  #restarts = 0;

  constructor(options: RestartingClientOptions) {
    this.#options = options;
  }

  /** Throws `browser_launch_failed` only when the restarts are used up. */
  async fetchSignedBoxUrl(wanted: StoredCase, patience: Patience): Promise<string> {
    const { open, clock, emit } = this.#options;
    for (;;) {
      try {
        this.#client ??= await open();
        return await this.#client.fetchSignedBoxUrl(wanted, patience);
      } catch (error) {
        const waitMs = RESTART_WAITS_MS[this.#restarts];
        if (!(error instanceof DownloadError) || error.code !== 'browser_launch_failed' || waitMs === undefined)
          throw error;
        this.#restarts++;
        const fields = { phase: 'client', error: error.code, restart: this.#restarts, wait_ms: waitMs };
        await emit({ label: 'ERROR', fields: { ...fields, error_message: error.message } });
        await this.close();
        await clock.sleep(waitMs, patience.stop);
      }
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close();
  }
}
