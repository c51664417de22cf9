// The outbox in the ledger. A process that dies between publishing and settling leaves the unsure position behind, and the
// next one asks the log what arrived.

import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { deadLetter } from '../dead-letter.ts';
import type { Outbox, OutboxLevel, PublishingStart, Settlement, Taken, TakeRequest } from '../outbox.ts';
import { WebpageEvent } from '../webpage-event.ts';
import { addDeadLetter } from './embedded-work-queue.ts';

export class EmbeddedOutbox implements Outbox {
  readonly #ledger: FetcherLedger;
  readonly #clock: Clock;
  readonly #limit: number;

  constructor(ledger: FetcherLedger, clock: Clock, limit: number) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#limit = limit;
  }

  async size(): Promise<number> {
    return this.#ledger.outbox.size();
  }

  /** The disk is the limit of its bytes, and says so itself when it is full. */
  async level(): Promise<OutboxLevel> {
    const events = this.#ledger.outbox.size();
    return { events, mostEvents: this.#limit, bytes: 0, room: { kind: 'unlimited' } };
  }

  async take({ pump, leaseMs, limit }: TakeRequest): Promise<Taken> {
    const { outbox } = this.#ledger;
    return this.#ledger.transaction(() => {
      const now = this.#clock.now();
      if (!outbox.takeLease(pump, now + leaseMs, now)) return { kind: 'busy' };
      const entries = outbox.oldest(limit).map(({ id, event }) => ({
        id: `${id}`,
        event: WebpageEvent.parse(JSON.parse(event)),
      }));
      return { kind: 'entries', entries, unsureSince: outbox.unsureSince() };
    });
  }

  async beginPublishing({ pump, leaseMs, position }: PublishingStart): Promise<boolean> {
    const { outbox } = this.#ledger;
    // On the device before the log is written: after a power cut, what was not synced may be there or not, or have holes.
    return this.#ledger.transaction(() => {
      const now = this.#clock.now();
      if (!outbox.holdsLease(pump, now)) return false;
      outbox.takeLease(pump, now + leaseMs, now);
      outbox.setUnsure(position, pump);
      return true;
    }, 'power');
  }

  async settle({ pump, published, refused, cacheTtlMs }: Settlement): Promise<boolean> {
    const { outbox, cache } = this.#ledger;
    return this.#ledger.transaction(() => {
      const now = this.#clock.now();
      if (!outbox.holdsLease(pump, now)) return false;
      outbox.setUnsure(undefined, pump);
      for (const { id, event } of [...published, ...refused.map(({ entry }) => entry)]) {
        outbox.remove(Number(id));
        cache.expire(event.cache_key, now + cacheTtlMs);
      }
      for (const { letter } of refused) addDeadLetter(this.#ledger, deadLetter(letter));
      cache.sweep(now);
      return true;
    });
  }

  async release(pump: string): Promise<void> {
    this.#ledger.transaction(() => this.#ledger.outbox.release(pump));
  }
}
