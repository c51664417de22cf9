// The records of a run as they are committed, in order, for as long as the run goes on. Reads from the ledger with a
// cursor: a slow reader costs no memory, and nobody sees what was not committed.

import type { Ledger } from '../ledger/ledger.ts';
import type { StoredRecord } from '../ledger/record-table.ts';
import type { RunId } from '../ledger/run.ts';

const PAGE = 500;

export class RecordStream {
  readonly #waiters = new Set<() => void>();
  #ended = false;
  #version = 0;

  /** More may have been committed. */
  notify(): void {
    this.#version++;
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  /** Nothing more will be committed. */
  end(): void {
    this.#ended = true;
    this.notify();
  }

  async *read(ledger: Ledger, run: RunId): AsyncGenerator<StoredRecord, void> {
    let after = 0;
    for (;;) {
      const { ended, version } = { ended: this.#ended, version: this.#version };
      const page = await ledger.recordsAfter(run, after, PAGE);
      yield* page;
      after = page.at(-1)?.id ?? after;
      if (page.length > 0) continue;
      if (ended) return;
      // Something committed while we were reading would otherwise be waited for in vain.
      if (version !== this.#version) continue;
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }
}

/** All records of a run that is not being worked on here. */
export async function* readRecords(ledger: Ledger, run: RunId): AsyncGenerator<StoredRecord, void> {
  const stream = new RecordStream();
  stream.end();
  yield* stream.read(ledger, run);
}
