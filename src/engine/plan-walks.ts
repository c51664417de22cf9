// Which walks a run begins with: one per speculator and partition, from what the scraper declares, what the run asks for,
// and what earlier runs observed.

import type { KnownSequence } from '../ledger/known-ids.ts';
import { type NewWalk, sequenceKey } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import type { Speculator } from '../scraper/speculate.ts';
import { assertGap, assertId } from '../scraper/speculate-options.ts';
import { readSpeculatorParams, type SpeculatorParams, unknownSpeculator } from '../scraper/speculation-params.ts';

/** `from-last`: start from what earlier runs observed. `holes`: ask only for ids that they do not know to exist. */
export type WalkStart = 'declared' | 'from-last' | 'holes';

/** Throws `invalid_parameter` for an unknown speculator, a range that runs backwards, or a number that is no id. */
export function planWalks(
  definition: ScraperDefinition,
  params: AnyScraperParams,
  start: WalkStart,
  known: readonly KnownSequence[],
): NewWalk[] {
  const { speculative = {}, only } = params;
  const names = [...definition.speculators.keys()];
  for (const name of Object.keys(speculative)) {
    if (!names.includes(name)) throw unknownSpeculator(definition.name, name, names);
  }
  const knownByKey = new Map(known.map((sequence) => [sequenceKey(sequence.walk), sequence]));
  return [...definition.speculators].flatMap(([name, speculator]) => {
    const { highestObserved, largestObservedGap } = speculator.options;
    const given = speculative[name];
    const asked = readSpeculatorParams(name, given === undefined ? {} : given);
    if (only !== undefined && !only.includes(name)) {
      if (Object.keys(asked).length > 0) throw leftOut(name, only);
      return [];
    }
    return speculator.partitions.map((partition): NewWalk => {
      const sequence = knownByKey.get(sequenceKey({ speculator: name, partition }));
      return {
        speculator: name,
        partition,
        maxProbes: speculator.options.maxProbes,
        onDuplicate: speculator.options.onDuplicate,
        declared: { highestObserved, largestObservedGap },
        ...rangeOf(name, speculator.options, asked, start, sequence),
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
  known: KnownSequence | undefined,
): Range {
  const seen = known?.observed;
  const gap = asked.plus ?? Math.max(declared.largestObservedGap, seen?.largestObservedGap ?? 0);
  assertGap(`plus of ${name}`, gap);
  const highest = Math.max(declared.highestObserved, seen?.highestObserved ?? declared.highestObserved);
  if (start === 'holes' && asked.definiteRange !== undefined) throw rangeWithHoles(name);
  if (start === 'holes' && known !== undefined && seen !== undefined) {
    return { first: seen.highestObserved + 1, last: highest, gap, holesOf: known.walk.id };
  }
  // Ids begin at 1, unless lower ones are known or the highest of them is lower.
  const [from, to] = asked.definiteRange ?? [Math.min(1, highest, seen?.lowestHit ?? 1), highest];
  assertId(`definiteRange of ${name}`, from);
  assertId(`definiteRange of ${name}`, to);
  assertId(`the last id of ${name}`, to + gap);
  if (from > to) throw backwards(name, from, to);
  return { first: from, last: to, gap, holesOf: undefined };
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
    `${name} is given a range, but the holes of earlier runs say where to look.`,
    { remedy: 'Leave out the range, or ask for that range without --reprobe holes.' },
  );
}
