// Which walks a run begins with: one per speculator and partition, from what the scraper declares, what the run asks for,
// and what an earlier run observed.

import type { NewWalk, StoredWalk } from '../ledger/probe.ts';
import type { Observed } from '../ledger/summarise-walks.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import { assertGap, assertId, type Partition, type Speculator } from '../scraper/speculate.ts';
import { readSpeculatorParams, type SpeculatorParams, unknownSpeculator } from '../scraper/speculation-params.ts';

/** What an earlier run found in one walk; undefined: nothing. */
export interface Observation {
  readonly walk: StoredWalk;
  readonly observed: Observed | undefined;
}

/** `from-last`: start from what the last run observed. `holes`: ask again for its ids that were no hits, and go on from there. */
export type WalkStart = 'declared' | 'from-last' | 'holes';

/** Throws `invalid_parameter` for an unknown speculator, a range that runs backwards, or a number that is no id. */
export function planWalks(
  definition: ScraperDefinition,
  params: AnyScraperParams,
  start: WalkStart,
  observations: readonly Observation[],
): NewWalk[] {
  const { speculative = {}, only } = params;
  const names = [...definition.speculators.keys()];
  for (const name of Object.keys(speculative)) {
    if (!names.includes(name)) throw unknownSpeculator(definition.name, name, names);
  }
  return [...definition.speculators].flatMap(([name, speculator]) => {
    const asked = readSpeculatorParams(name, speculative[name] ?? {});
    if (only !== undefined && !only.includes(name)) {
      if (Object.keys(asked).length > 0) throw leftOut(name, only);
      return [];
    }
    return speculator.partitions.map((partition): NewWalk => {
      const last = observations.find(({ walk }) => walk.speculator === name && isSame(walk.partition, partition));
      return {
        speculator: name,
        partition,
        maxProbes: speculator.options.maxProbes,
        onDuplicate: speculator.options.onDuplicate,
        ...rangeOf(name, speculator.options, asked, start, last),
      };
    });
  });
}

type Range = Pick<NewWalk, 'first' | 'last' | 'gap' | 'holesOf'>;

function rangeOf(
  name: string,
  declared: Speculator['options'],
  asked: SpeculatorParams,
  start: WalkStart,
  last: Observation | undefined,
): Range {
  const seen = last?.observed;
  const gap = asked.plus ?? Math.max(declared.largestObservedGap, seen?.largestObservedGap ?? 0);
  assertGap(`plus of ${name}`, gap);
  const highest = Math.max(declared.highestObserved, seen?.highestObserved ?? declared.highestObserved);
  if (start === 'holes' && asked.definiteRange !== undefined) throw rangeWithHoles(name);
  if (start === 'holes' && last !== undefined && seen !== undefined) {
    return { first: seen.highestObserved + 1, last: highest, gap, holesOf: last.walk.id };
  }
  // Ids begin at 1, unless the highest of them is lower.
  const [from, to] = asked.definiteRange ?? [Math.min(1, highest), highest];
  assertId(`definiteRange of ${name}`, from);
  assertId(`definiteRange of ${name}`, to);
  assertId(`the last id of ${name}`, to + gap);
  if (from > to) throw backwards(name, from, to);
  return { first: from, last: to, gap, holesOf: undefined };
}

function isSame(one: Partition, other: Partition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function leftOut(name: string, only: readonly string[]): CurlewError {
  return new CurlewError(ErrorCode.invalidParameter, `${name} is given settings, but only ${only.join(', ')} runs.`, {
    remedy: `Name it too: --entry ${name}.`,
  });
}

function backwards(name: string, from: number, to: number): CurlewError {
  return new CurlewError(
    ErrorCode.invalidParameter,
    `The definite range of ${name} runs backwards: it begins at ${from} and ends at ${to}.`,
    { remedy: 'Give the lower id first; both ends are included.' },
  );
}

function rangeWithHoles(name: string): CurlewError {
  return new CurlewError(
    ErrorCode.invalidParameter,
    `${name} is given a range, but the holes of the last run say where to look.`,
    { remedy: 'Leave out the range, or ask for that range without --reprobe holes.' },
  );
}
