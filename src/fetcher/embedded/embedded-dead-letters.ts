// Dead letters in the ledger. Putting back is one transaction.

import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import { type DeadLetter, readDeadLetter, subjectOf } from '../dead-letter.ts';
import type { DeadLetterFilter, DeadLetters } from '../dead-letters.ts';
import { hostOf } from './embedded-work-queue.ts';

const AT_ONCE = 500;

export class EmbeddedDeadLetters implements DeadLetters {
  readonly #ledger: FetcherLedger;

  constructor(ledger: FetcherLedger) {
    this.#ledger = ledger;
  }

  async size(): Promise<number> {
    return this.#ledger.deadLetters.size();
  }

  async *list({ reason, host }: DeadLetterFilter = {}): AsyncGenerator<DeadLetter> {
    for (let after = 0; ; ) {
      const rows = this.#ledger.deadLetters.after(reason, host, after, AT_ONCE);
      yield* rows.map(({ line }) => readDeadLetter(line));
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  async requeue({ reason, host }: DeadLetterFilter): Promise<number> {
    return this.#ledger.transaction(() => {
      const taken = this.#ledger.deadLetters.take(reason, host);
      for (const { url } of taken) this.#ledger.queue.append(subjectOf(url), hostOf(url));
      return taken.length;
    });
  }

  async drop({ reason, host }: DeadLetterFilter): Promise<number> {
    return this.#ledger.transaction(() => this.#ledger.deadLetters.take(reason, host).length);
  }
}
