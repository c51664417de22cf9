// What a run asks of each speculator. Typed on the scraper's own; at run time a misspelt name is an error that lists them.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Request } from './request.ts';
import type { Speculator } from './speculate.ts';

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
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name);
      if (name === 'toJSON' || name === 'then') return undefined;
      throw unknownSpeculator(scraper, name, names);
    },
    set(target, name, value) {
      if (typeof name === 'symbol' || !Object.hasOwn(target, name))
        throw unknownSpeculator(scraper, String(name), names);
      return Reflect.set(target, name, value);
    },
  }) as Record<Name, SpeculatorParams>;
}

export function unknownSpeculator(scraper: string, name: string, names: readonly string[]): CurlewError {
  return new CurlewError(ErrorCode.invalidParameter, `${scraper} has no speculator named ${name}.`, {
    remedy: `Its speculators are: ${names.join(', ') || 'none'}.`,
  });
}
