// Where a fetcher keeps its queue, pages and events: in a data directory, or in the Redis and Kafka of a fleet.

import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { openEmbeddedBackend } from './embedded/embedded-backend.ts';
import type { FetcherBackend } from './fetcher-backend.ts';
import { type Environment, type FetcherConfig, namesFleet } from './fetcher-config.ts';

export type FetcherPlace = { readonly kind: 'fleet' } | { readonly kind: 'embedded'; readonly data: string };

/** A fleet when Redis or Kafka is named in the environment, unless the caller wants to be on its own. */
export function placeOf(
  environment: Environment,
  { embedded = false, data }: { readonly embedded?: boolean; readonly data: string },
): FetcherPlace {
  return embedded || !namesFleet(environment) ? { kind: 'embedded', data } : { kind: 'fleet' };
}

/** For a person to read. Redis' address may hold a password: it is taken out where it is printed. */
export function describePlace(place: FetcherPlace, config: FetcherConfig): string {
  return place.kind === 'fleet' ? `${config.inputQueue} at ${config.redisUrl}` : place.data;
}

/** The file that stands for the topic where there is no Kafka. */
export function eventFile(data: string, { webpageLogTopic }: FetcherConfig): string {
  return join(data, `${webpageLogTopic}.jsonl`);
}

/** Opens it for looking and for putting in. Throws `service_unavailable` when Redis does not answer within 5 s. */
export async function openBackend(place: FetcherPlace, config: FetcherConfig, clock: Clock): Promise<FetcherBackend> {
  if (place.kind === 'embedded') return openEmbeddedBackend(place.data, { clock, outboxLimit: config.outboxLimit });
  // Loaded when it is wanted: most never have a fleet.
  const { openFleetBackend } = await import('./fleet-backend.ts');
  return openFleetBackend(config, clock);
}
