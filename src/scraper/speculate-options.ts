// The options of a speculator and its partitions, checked when they are declared: what would be ignored is an error.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import { assertFunction, describeValue, isPlainObject } from './author-function.ts';
import type { Partition, SpeculateOptions, Speculator } from './speculate.ts';

const NAMES = [
  'highestObserved',
  'largestObservedGap',
  'observationDate',
  'isReal',
  'onMiss',
  'onDuplicate',
  'maxProbes',
] as const satisfies readonly (keyof SpeculateOptions)[];

/** Throws `invalid_parameter` or `scraper_definition`. An option that is undefined was not given. */
export function readOptions(options: unknown): Speculator['options'] {
  if (!isPlainObject(options)) throw bad('The options of a speculator', options, 'an object: {} for the defaults');
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw new CurlewError(ErrorCode.invalidParameter, `A speculator has no option ${name}.`, {
      remedy: `${didYouMean(name, NAMES)}Its options are: ${NAMES.join(', ')}.`,
    });
  }
  const { highestObserved = 1, largestObservedGap = 10, onDuplicate = 'miss' } = options;
  const { observationDate, isReal, onMiss, maxProbes } = options;
  assertId('highestObserved', highestObserved);
  assertGap('largestObservedGap', largestObservedGap);
  if (maxProbes !== undefined && !(Number.isSafeInteger(maxProbes) && Number(maxProbes) >= 1)) {
    throw bad('maxProbes', maxProbes, 'a whole number from 1 up');
  }
  if (onDuplicate !== 'miss' && onDuplicate !== 'inherit') throw bad('onDuplicate', onDuplicate, 'miss or inherit');
  if (observationDate !== undefined && !isDate(observationDate)) {
    throw bad('observationDate', observationDate, "a date as text, such as '2026-11-15'");
  }
  if (isReal !== undefined) assertFunction('isReal', isReal, { yield: false });
  if (onMiss !== undefined) assertFunction('onMiss', onMiss, { yield: true });
  return { ...(options as SpeculateOptions), highestObserved, largestObservedGap, onDuplicate };
}

/** A day that there is, with or without a time. */
function isDate(value: unknown): boolean {
  const day = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)(?:T.+)?$/.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(String(value)))) return false;
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

/** Ids are safe integers; 0 and negative ones are fine. */
export function assertId(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value)) throw bad(name, value, 'a whole number that is not beyond 2^53');
}

export function assertGap(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw bad(name, value, 'a whole number from 0 up');
}

/** More of them are a mistake: each is a walk of its own, with requests of its own. */
const MOST_PARTITIONS = 100_000;

export function partitionsOf(dimensions: unknown): Partition[] {
  if (!isPlainObject(dimensions) || Object.keys(dimensions).length === 0) {
    throw bad('What a speculator is partitioned by', dimensions, 'an object of dimensions, as { year: [2023, 2026] }');
  }
  let partitions: Partition[] = [{}];
  for (const [name, values] of Object.entries(dimensions)) {
    const count = partitions.length * countOf(name, values);
    if (count > MOST_PARTITIONS) {
      throw bad(name, values, `such that there are at most ${MOST_PARTITIONS} partitions, and these are ${count}`);
    }
    const spread = valuesOf(values as PartitionRange | readonly string[]);
    partitions = partitions.flatMap((partition) => spread.map((value) => ({ ...partition, [name]: value })));
  }
  return partitions;
}

type PartitionRange = readonly [first: number, last: number];

/** Checks the values of a dimension, and counts them. */
function countOf(name: string, values: unknown): number {
  if (isRange(values)) {
    const [first, last] = values;
    assertId(name, first);
    assertId(name, last);
    if (first > last) throw bad(name, values, 'a range whose first is not above its last');
    return last - first + 1;
  }
  if (!Array.isArray(values) || values.length === 0 || new Set<unknown>(values).size < values.length) {
    throw bad(name, values, WANTED);
  }
  if (!values.every((value) => typeof value === 'string' && value !== '')) throw bad(name, values, WANTED);
  return values.length;
}

const WANTED = 'texts, at least one and none twice, or the first and last of a range';

function valuesOf(values: PartitionRange | readonly string[]): readonly (string | number)[] {
  if (!isRange(values)) return values;
  const [first, last] = values;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function isRange(values: unknown): values is PartitionRange {
  return Array.isArray(values) && values.length === 2 && values.every((value) => typeof value === 'number');
}

function bad(name: string, value: unknown, wanted: string): CurlewError {
  const given = typeof value === 'string' ? value : describeValue(value);
  return new CurlewError(ErrorCode.invalidParameter, `${name} is ${given}, but it must be ${wanted}.`);
}
