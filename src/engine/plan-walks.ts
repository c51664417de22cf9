// Which walks a run begins with: one per speculator and partition, from what the scraper declares, what the run asks for,
// and what an earlier run observed.

import type { NewWalk, StoredWalk } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import { assertGap, assertId, type Partition, type Speculator } from '../scraper/speculate.ts';
import { unknownSpeculator } from '../scraper/speculation-params.ts';

/** What an earlier run found in one walk. */
export interface Observation {
  readonly walk: StoredWalk;
  readonly highestObserved: number | undefined;
  readonly largestObservedGap: number | undefined;
}

/** `from-last`: start from what the last run observed. `holes`: ask again for ids that were absent, and go on from there. */
export type WalkStart = 'declared' | 'from-last' | 'holes';

/** Throws `invalid_parameter` for an unknown speculator, a range that runs backwards, or a number that is no id. */
export function planWalks(
  definition: ScraperDefinition,
  params: AnyScraperParams,
  start: WalkStart,
  observed: readonly Observation[],
): NewWalk[] {
  const asked = params.speculative ?? {};
  const names = [...definition.speculators.keys()];
  for (const name of Object.keys(asked))
    if (!names.includes(name)) throw unknownSpeculator(definition.name, name, names);
  return [...definition.speculators]
    .filter(([name]) => params.only === undefined || params.only.includes(name))
    .flatMap(([name, speculator]) =>
      speculator.partitions.map((partition): NewWalk => {
        const last = observed.find(({ walk }) => walk.speculator === name && isSame(walk.partition, partition));
        return {
          speculator: name,
          partition,
          maxProbes: speculator.options.maxProbes,
          onDuplicate: speculator.options.onDuplicate,
          ...rangeOf(name, speculator, asked[name], start, last),
        };
      }),
    );
}

type Range = Pick<NewWalk, 'first' | 'last' | 'gap' | 'holesOf'>;

function rangeOf(
  name: string,
  { options }: Speculator,
  asked: { readonly definiteRange?: readonly [number, number]; readonly plus?: number } = {},
  start: WalkStart,
  observation: Observation | undefined,
): Range {
  const seen = start === 'declared' ? undefined : observation;
  const gap = asked.plus ?? Math.max(options.largestObservedGap, seen?.largestObservedGap ?? 0);
  assertGap(`plus of ${name}`, gap);
  if (start === 'holes' && seen?.highestObserved !== undefined) {
    return { first: seen.highestObserved + 1, last: seen.highestObserved, gap, holesOf: seen.walk.id };
  }
  const highest = Math.max(options.highestObserved, seen?.highestObserved ?? options.highestObserved);
  const [first, last] = asked.definiteRange ?? [Math.min(1, highest), highest];
  assertId(`definiteRange of ${name}`, first);
  assertId(`definiteRange of ${name}`, last);
  assertId(`the last id of ${name}`, last + gap);
  if (first > last) {
    throw new CurlewError(
      ErrorCode.invalidParameter,
      `The definite range of ${name} runs backwards: ${first} to ${last}.`,
      {
        remedy: 'Give the lower id first; both ends are included.',
      },
    );
  }
  return { first, last, gap, holesOf: undefined };
}

function isSame(one: Partition, other: Partition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
