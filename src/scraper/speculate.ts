// A sequence of numbered things that may or may not exist, declared as a field of a scraper (or as a decorated method).
// The author says how to ask for one id; which ids are asked for is the engine's business.

import type { Outcome } from '../fetch/outcome.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { assertFunction } from './author-function.ts';
import type { Page } from './page/page.ts';
import type { ScrapedRecord } from './record.ts';
import type { Request } from './request.ts';
import { partitionsOf, readOptions } from './speculate-options.ts';

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
  readonly onMiss?: (id: number, outcome: MissOutcome) => Iterable<ScrapedRecord, void>;
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
export function speculate(options: SpeculateOptions, ...rest: readonly unknown[]): Speculator | SpeculateDecorator {
  if (typeof options === 'function') throw bareDecorator();
  const checked = readOptions(options);
  if (rest.length > 0) {
    const [ask] = rest;
    assertFunction('What a speculator asks with', ask, { yield: false });
    const request = ask as (id: number) => Request;
    return { kind: 'speculator', options: checked, partitions: [{}], ask: (_, id) => request(id) };
  }
  const decorator: SpeculateDecorator = (method, context) => {
    assertStandardDecorator(context);
    const { name, private: isPrivate, static: isStatic } = context;
    if (isPrivate || isStatic) throw unreachable(String(name));
    assertFunction(`@speculate of ${String(name)}`, method, { yield: false });
    decorated.set(method, checked);
    return method;
  };
  decorators.add(decorator);
  return decorator;
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
): Speculator => {
  const checked = { options: readOptions(options), partitions: partitionsOf(dimensions) };
  assertFunction('What a speculator asks with', ask, { yield: false });
  return { kind: 'speculator', ...checked, ask: ask as (partition: Partition, id: number) => Request };
};

/** Options of methods that were declared with the decorator. */
const decorated = new WeakMap<object, Speculator['options']>();
const decorators = new WeakSet<object>();

/** True for `speculate(options)` without a function: a decorator, and of no use as a field. */
export function isSpeculateDecorator(value: unknown): boolean {
  return typeof value === 'function' && decorators.has(value);
}

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

/** Legacy decorators are called with the class, a name and a descriptor, and their methods would be walked by nobody. */
function assertStandardDecorator(context: unknown): void {
  if (typeof context !== 'object' || context === null || !('kind' in context)) {
    const on = typeof context === 'string' ? ` of ${context}` : '';
    throw new CurlewError(
      ErrorCode.scraperDefinition,
      `@speculate${on} is compiled as a legacy decorator, which Curlew cannot use.`,
      {
        remedy:
          'Take experimentalDecorators out of tsconfig.json (in Babel: version "2023-11"), so that decorators are the standard ones. ' +
          'Or declare a field, which needs no compiler: byNumber = speculate({ … }, (id) => get(…)).',
      },
    );
  }
  if (context.kind === 'method') return;
  throw new CurlewError(ErrorCode.scraperDefinition, `@speculate stands on a ${context.kind}, and not on a method.`, {
    remedy:
      'Declare it as a method that gives back the request for an id, or as a field: speculate({ … }, (id) => get(…)).',
  });
}

function bareDecorator(): CurlewError {
  return new CurlewError(ErrorCode.scraperDefinition, 'speculate is given a function where its options belong.', {
    remedy: 'Write the options first: speculate({}, (id) => get(…)), or @speculate({}) on a method.',
  });
}

function unreachable(name: string): CurlewError {
  return new CurlewError(ErrorCode.scraperDefinition, `@speculate stands on ${name}, which is private or static.`, {
    remedy: 'Make it a public method of the scraper.',
  });
}
