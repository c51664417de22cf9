// The dead letters of the fetcher, wherever it keeps them: in the data directory, or in the Redis of a fleet.

import type { DeadLetters } from '../fetcher/dead-letters.ts';
import { EmbeddedDeadLetters } from '../fetcher/embedded/embedded-dead-letters.ts';
import type { FetcherBackend } from '../fetcher/fetcher-backend.ts';
import { type Environment, readFetcherConfig } from '../fetcher/fetcher-config.ts';
import { openBackend, placeOf } from '../fetcher/fetcher-place.ts';
import { FetcherLedger } from '../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../platform/clock.ts';

export interface FetcherLetters {
  /** For looking only. Rejects with `service_unavailable` when Redis does not answer. */
  look<T>(work: (letters: Pick<DeadLetters, 'size' | 'list'>) => Promise<T>): Promise<T>;
  change<T>(work: (letters: DeadLetters) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openFetcherLetters(data: string, env: Environment, clock: Clock): FetcherLetters {
  const place = placeOf(env, { data });
  const open = async () => openBackend(place, readFetcherConfig(env), clock);
  return place.kind === 'embedded' ? embedded(data, open) : fleet(open, clock);
}

/** Looking keeps a connection that cannot write; a change opens another. */
function embedded(data: string, open: () => Promise<FetcherBackend>): FetcherLetters {
  const ledger = FetcherLedger.open(data, { readOnly: true });
  const letters = new EmbeddedDeadLetters(ledger);
  return {
    look: (work) => work(letters),
    change: async (work) => {
      const backend = await open();
      try {
        return await work(backend.deadLetters);
      } finally {
        await backend.close();
      }
    },
    close: async () => ledger.close(),
  };
}

/** So long nobody is made to wait again for a Redis that did not answer. */
const FORGET_FAILURE_MS = 10_000;

/** One connection for all, made when it is first needed, and tried again some time after it could not be made. */
function fleet(open: () => Promise<FetcherBackend>, clock: Clock): FetcherLetters {
  let connected: Promise<FetcherBackend> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const connect = (): Promise<FetcherBackend> => {
    const attempt = open();
    attempt.catch(() => (failedAt = clock.monotonic()));
    return attempt;
  };
  const use = async <T>(work: (letters: DeadLetters) => Promise<T>): Promise<T> => {
    const isForgotten = clock.monotonic() - failedAt >= FORGET_FAILURE_MS;
    if (connected === undefined || (Number.isFinite(failedAt) && isForgotten)) {
      failedAt = Number.NEGATIVE_INFINITY;
      connected = connect();
    }
    return work((await connected).deadLetters);
  };
  return {
    look: use,
    change: use,
    close: async () => (await connected?.catch(() => undefined))?.close(),
  };
}
