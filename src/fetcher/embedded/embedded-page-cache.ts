// The cache in the ledger.

import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PageCache } from '../page-cache.ts';

export class EmbeddedPageCache implements PageCache {
  readonly #ledger: FetcherLedger;
  readonly #clock: Clock;

  constructor(ledger: FetcherLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#ledger.cache.get(key, this.#clock.now());
  }

  async set(key: string, body: Uint8Array, ttlMs: number): Promise<void> {
    const now = this.#clock.now();
    this.#ledger.transaction(() => {
      this.#ledger.cache.sweep(now);
      this.#ledger.cache.set(key, body, now + ttlMs);
    });
  }
}
