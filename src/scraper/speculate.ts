// A sequence of numbered things that may or may not exist, declared as a field of a scraper (or as a decorated method).
// The author says how to ask for one id; which ids are asked for is the engine's business.

import type { Outcome } from '../fetch/outcome.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Page } from './page/page.ts';
import type { ScrapedRecord } from './record.ts';
import type { Request } from './request.ts';

/** What is known of a sequence of ids, and how answers about them are read. */
export interface SpeculateOptions {
  /** The highest id known to exist: ids up to it are asked for whatever the answers. Default 1. */
  readonly highestObserved?: number;
  /** The widest hole known: so many ids beyond the highest hit are tried before the walk ends. Default 10. */
  readonly largestObservedGap?: number;
  /** When these values were observed, for the reader. */
  readonly observationDate?: string;
  /**
   * Whether a 2xx answer is really a hit: false for "not found" pages with status 200, or a redirect to the search. Not
   * asked about downloads. Default: all are.
   */
  readonly isReal?: (page: Page) => boolean;
  /** What to record about an id that was asked for and is no hit. Default nothing. */
  readonly onMiss?: (id: number, outcome: MissOutcome) => Iterable<ScrapedRecord>;
  /**
   * An id whose request the run has already: `miss` counts it as one, so that ids that all lead to one page end;
   * `inherit` takes over what becomes of that request, for pages that links lead to as well. Default `miss`.
   */
  readonly onDuplicate?: 'miss' | 'inherit';
  /**
   * The most ids to ask for, in each partition; holes that are asked for again are not counted. A walk that is cut short
   * by it says so, and the run is not ok. Default no limit.
   */
  readonly maxProbes?: number;
}

/** What an `onMiss` is told: the meaning of the answer, and the page if there was one (a soft 404). */
export interface MissOutcome {
  /** Empty for a speculator without partitions. */
  readonly partition: Partition;
  readonly kind: Outcome['kind'];
  readonly status: number | undefined;
  readonly reason: string;
  readonly page: Page | undefined;
}

/** A partition of ids: a year, a division. Each has a sequence of its own. */
export type Partition = Readonly<Record<string, string | number>>;

/** A sequence of ids to be probed; made by `speculate`. */
export interface Speculator {
  readonly kind: 'speculator';
  readonly options: Required<Pick<SpeculateOptions, 'highestObserved' | 'largestObservedGap' | 'onDuplicate'>> &
    SpeculateOptions;
  /** One walk for each; a speculator without partitions has a single, empty one. */
  readonly partitions: readonly Partition[];
  readonly ask: (partition: Partition, id: number) => unknown;
}

/** Standard (TC39) decorator for a method that gives back the request for an id. */
export type SpeculateDecorator = <This, Method extends (this: This, id: number) => Request>(
  method: Method,
  context: ClassMethodDecoratorContext<This, Method>,
) => Method;

/**
 * Declares a sequence of ids to be probed. With a function it is a field; without one, a decorator for a method.
 *
 * @example
 * byNumber = speculate({ highestObserved: 500, largestObservedGap: 20 }, (id) => get(`/case/${id}`, this.parseCase));
 */
export function speculate(options: SpeculateOptions, ask: (id: number) => Request): Speculator;
export function speculate(options: SpeculateOptions): SpeculateDecorator;
export function speculate(options: SpeculateOptions, ask?: (id: number) => Request): Speculator | SpeculateDecorator {
  const checked = readOptions(options);
  if (ask !== undefined) return { kind: 'speculator', options: checked, partitions: [{}], ask: (_, id) => ask(id) };
  return (method, { name, private: isPrivate, static: isStatic }) => {
    if (isPrivate || isStatic) throw unreachable(String(name));
    decorated.set(method, checked);
    return method;
  };
}

/** Values of a partition's dimension: every text listed, or all whole numbers from the first to the last. */
export type PartitionValues = readonly string[] | readonly [first: number, last: number];

/**
 * Declares one independent sequence for each partition. Two numbers are a range, both ends included; texts are listed.
 *
 * @example
 * byYear = speculate.partitioned({ year: [2023, 2026] }, { largestObservedGap: 20 },
 *   ({ year }, id) => get(`/case/${year}/${id}`, this.parseCase));
 */
speculate.partitioned = <Dimensions extends Readonly<Record<string, PartitionValues>>>(
  dimensions: Dimensions,
  options: SpeculateOptions,
  ask: (partition: { readonly [Name in keyof Dimensions]: Dimensions[Name][number] }, id: number) => Request,
): Speculator => ({
  kind: 'speculator',
  options: readOptions(options),
  partitions: partitionsOf(dimensions),
  ask: ask as (partition: Partition, id: number) => Request,
});

/** Options of methods that were declared with the decorator. */
const decorated = new WeakMap<object, Speculator['options']>();

/** The speculator that a decorated method stands for; undefined for any other function. */
export function speculatorOf(method: (id: number) => unknown, scraper: object): Speculator | undefined {
  const options = decorated.get(method);
  if (options === undefined) return undefined;
  return { kind: 'speculator', options, partitions: [{}], ask: (_, id) => method.call(scraper, id) };
}

/** True for what `speculate` returns as a field. */
export function isSpeculator(value: unknown): value is Speculator {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'speculator';
}

function readOptions(options: SpeculateOptions): Speculator['options'] {
  const { highestObserved = 1, largestObservedGap = 10, onDuplicate = 'miss', maxProbes } = options;
  assertId('highestObserved', highestObserved);
  assertGap('largestObservedGap', largestObservedGap);
  if (maxProbes !== undefined && (!Number.isSafeInteger(maxProbes) || maxProbes < 1)) {
    throw bad('maxProbes', maxProbes, 'a whole number from 1 up');
  }
  if (onDuplicate !== 'miss' && onDuplicate !== 'inherit') throw bad('onDuplicate', onDuplicate, 'miss or inherit');
  return { ...options, highestObserved, largestObservedGap, onDuplicate };
}

/** Ids are safe integers; 0 and negative ones are fine. */
export function assertId(name: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw bad(name, value, 'a whole number that is not beyond 2^53');
}

export function assertGap(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw bad(name, value, 'a whole number from 0 up');
}

function bad(name: string, value: unknown, wanted: string): CurlewError {
  return new CurlewError(ErrorCode.invalidParameter, `${name} is ${String(value)}, but it must be ${wanted}.`);
}

function unreachable(name: string): CurlewError {
  return new CurlewError(ErrorCode.scraperDefinition, `@speculate stands on ${name}, which is private or static.`, {
    remedy: 'Make it a public method of the scraper.',
  });
}

function partitionsOf(dimensions: Readonly<Record<string, PartitionValues>>): Partition[] {
  let partitions: Partition[] = [{}];
  for (const [name, values] of Object.entries(dimensions)) {
    const spread = valuesOf(name, values);
    partitions = partitions.flatMap((partition) => spread.map((value) => ({ ...partition, [name]: value })));
  }
  return partitions;
}

function valuesOf(name: string, values: PartitionValues): readonly (string | number)[] {
  const [first, last] = values;
  if (values.length === 2 && typeof first === 'number' && typeof last === 'number') {
    assertId(name, first);
    assertId(name, last);
    if (first > last) throw bad(name, `[${first}, ${last}]`, 'a range whose first is not above its last');
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }
  if (values.length === 0 || new Set<unknown>(values).size < values.length || values.some(isNumber)) {
    throw bad(name, `[${values.join(', ')}]`, 'texts, at least one and none twice, or the first and last of a range');
  }
  return values;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
