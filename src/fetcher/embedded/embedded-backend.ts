// The backend of one machine: everything in the ledger of a data directory, nothing else to install.

import { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FetcherBackend } from '../fetcher-backend.ts';
import { DEFAULT_OUTBOX_LIMIT } from '../outbox.ts';
import { EmbeddedDeadLetters } from './embedded-dead-letters.ts';
import { EmbeddedLabelledHosts } from './embedded-labelled-hosts.ts';
import { EmbeddedOutbox } from './embedded-outbox.ts';
import { EmbeddedPageCache } from './embedded-page-cache.ts';
import { EmbeddedWorkQueue } from './embedded-work-queue.ts';

export interface EmbeddedBackendOptions {
  readonly clock: Clock;
  /** Most events in the outbox. Default 100,000. */
  readonly outboxLimit?: number;
}

/** Opens the ledger of the directory, creating it if need be; `close` closes it. */
export function openEmbeddedBackend(dataDirectory: string, options: EmbeddedBackendOptions): FetcherBackend {
  const { clock, outboxLimit = DEFAULT_OUTBOX_LIMIT } = options;
  const ledger = FetcherLedger.open(dataDirectory);
  return {
    queue: new EmbeddedWorkQueue(ledger, { clock, outboxLimit }),
    cache: new EmbeddedPageCache(ledger, clock),
    outbox: new EmbeddedOutbox(ledger, clock, outboxLimit),
    deadLetters: new EmbeddedDeadLetters(ledger),
    labelledHosts: new EmbeddedLabelledHosts(ledger, clock),
    check: async () => {},
    close: async () => ledger.close(),
  };
}
