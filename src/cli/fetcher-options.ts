// Where the commands about the page fetcher look: the same rule for all of them.

import { type Command, Option } from 'commander';
import type { FetcherBackend } from '../fetcher/fetcher-backend.ts';
import { type FetcherConfig, readFetcherConfig } from '../fetcher/fetcher-config.ts';
import { type FetcherPlace, openBackend, placeOf } from '../fetcher/fetcher-place.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { hasData } from './look-at-data.ts';
import { addDataOption, type DataOption } from './options.ts';

export type PlaceOptions = DataOption & { readonly embedded?: boolean };

export function addPlaceOptions(command: Command): Command {
  command.addOption(new Option('--embedded', 'in the data directory, even where PAGE_FETCHER_REDIS_URL names a Redis'));
  return addDataOption(command);
}

export interface ChosenPlace {
  readonly place: FetcherPlace;
  readonly config: FetcherConfig;
}

/** By the options and the environment. Throws `config_invalid`. */
export function choosePlace(options: PlaceOptions): ChosenPlace {
  return { place: placeOf(process.env, options), config: readFetcherConfig(process.env) };
}

/**
 * Opens the backend, uses it, and closes it. With `look` one that is not there is not made: throws `run_not_found`, for a
 * directory may be misspelt.
 */
export async function withBackend<T>(
  options: PlaceOptions,
  how: 'make' | 'look',
  use: (backend: FetcherBackend, chosen: ChosenPlace) => Promise<T>,
): Promise<T> {
  const chosen = choosePlace(options);
  const { place } = chosen;
  if (how === 'look' && place.kind === 'embedded' && !hasData(place.data)) {
    throw new CurlewError(ErrorCode.runNotFound, `There is no queue in ${place.data}.`, {
      remedy: 'Make one with curlew enqueue, or name another directory with --data.',
    });
  }
  const backend = await openBackend(chosen.place, chosen.config, systemClock);
  try {
    return await use(backend, chosen);
  } finally {
    await backend.close();
  }
}
