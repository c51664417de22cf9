// What a run asks of each speculator. Typed on the scraper's own; at run time a misspelt name is an error that lists them.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import { describeValue, isPlainObject } from './author-function.ts';
import type { Request } from './request.ts';
import type { Speculator } from './speculate.ts';
import { assertGap, assertId } from './speculate-options.ts';

/** Settings of one speculator for one run. */
export interface SpeculatorParams {
  /** First and last id that are asked for whatever the answers. Default: 1 to the highest observed. */
  definiteRange?: readonly [first: number, last: number];
  /** How many ids beyond the highest hit are tried, also when it is 0. Default: the largest observed gap. */
  plus?: number;
}

/** Fields that are speculators, and methods of a speculator's shape: those a decorator can make one. */
export type SpeculatorNames<T> = {
  [Name in keyof T]: T[Name] extends Speculator ? Name : T[Name] extends (id: number) => Request ? Name : never;
}[keyof T];

/** An object with settings for each of `names`; any other name throws `invalid_parameter`. */
export function speculatorParams<Name extends PropertyKey>(
  scraper: string,
  names: readonly string[],
): Record<Name, SpeculatorParams> {
  const known: Record<string, SpeculatorParams> = Object.fromEntries(names.map((name) => [name, {}]));
  return new Proxy(known, {
    get(target, name) {
      // What the language itself looks for in an object is no misspelt name.
      if (typeof name === 'symbol' || name in target || name === 'toJSON' || name === 'then') {
        return Reflect.get(target, name);
      }
      throw unknownSpeculator(scraper, name, names);
    },
    set(target, name, value) {
      if (!Object.hasOwn(target, name)) throw unknownSpeculator(scraper, String(name), names);
      return Reflect.set(target, name, value);
    },
  }) as Record<Name, SpeculatorParams>;
}

const SETTINGS = ['definiteRange', 'plus'];

/** Settings as they come from code or a command line. Throws `invalid_parameter` for what is none of them. */
export function readSpeculatorParams(name: string, given: unknown): SpeculatorParams {
  if (!isPlainObject(given)) {
    throw new CurlewError(
      ErrorCode.invalidParameter,
      `The settings of speculator ${name} are ${describeValue(given)}, but they must be an object.`,
      { remedy: `Its settings are: ${SETTINGS.join(', ')}.` },
    );
  }
  for (const key of Object.keys(given)) {
    if (SETTINGS.includes(key)) continue;
    throw new CurlewError(ErrorCode.invalidParameter, `Speculator ${name} has no setting ${key}.`, {
      remedy: `Its settings are: ${SETTINGS.join(', ')}.`,
    });
  }
  const { definiteRange, plus } = given;
  if (definiteRange !== undefined && !(Array.isArray(definiteRange) && definiteRange.length === 2)) {
    throw new CurlewError(ErrorCode.invalidParameter, `The definite range of ${name} is not two ids.`, {
      remedy: 'Give the first and the last id; both are included. Leave it out for the default.',
    });
  }
  for (const id of definiteRange ?? []) assertId(`definiteRange of ${name}`, id);
  if (plus !== undefined) assertGap(`plus of ${name}`, plus);
  return given as SpeculatorParams;
}

export function unknownSpeculator(scraper: string, name: string, names: readonly string[]): CurlewError {
  return new CurlewError(ErrorCode.invalidParameter, `${scraper} has no speculator named ${name}.`, {
    remedy: `${didYouMean(name, names)}Its speculators are: ${names.join(', ') || 'none'}.`,
  });
}
