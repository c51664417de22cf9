// Reads a scraper instance once: which entries it declares, and which step each method reference stands for.
// In the ledger a step is its name; here the name becomes a method again.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import { isPlainObject } from './author-function.ts';
import { checkFields } from './check-fields.ts';
import { type Entry, isEntry } from './entry.ts';
import type { AnyStep } from './request.ts';
import type { Scraper } from './scraper.ts';
import { isSession, nameSession, type Session } from './session.ts';
import { isSpeculator, type Speculator, speculatorOf } from './speculate.ts';

export interface ScraperDefinition {
  readonly scraper: Scraper;
  /** The class's name: what runs of it are listed under. */
  readonly name: string;
  /** What relative addresses of entries are resolved against. */
  readonly baseUrl: string;
  readonly entries: ReadonlyMap<string, Entry<unknown>>;
  readonly speculators: ReadonlyMap<string, Speculator>;
  readonly sessions: ReadonlyMap<string, Session>;
  /** Names of the generator methods, in the order of their declaration. */
  readonly steps: readonly string[];
  /** For names out of the ledger. Throws `unknown_entry` when the scraper has no such any more. */
  entryNamed(name: string): Entry<unknown>;
  speculatorNamed(name: string): Speculator;
  sessionNamed(name: string): Session;
  hasStep(name: string): boolean;
  stepNamed(name: string): AnyStep;
  nameOf(step: AnyStep): string;
  /** The method or field of a name out of the ledger. Throws `scraper_definition` when there is none any more. */
  functionNamed(name: string): AuthorFunction;
  /** The name of a method or field. Throws `invalid_request` for any other function: it could not be found again. */
  functionName(given: AuthorFunction): string;
}

/** A function of the scraper that is named by reference. */
type AuthorFunction = (...args: never[]) => unknown;

/**
 * Reads `scraper`'s entries and steps; `baseUrl` replaces its own, to run it on a copy of the site. Throws
 * `scraper_definition` when that is no absolute URL.
 */
export function defineScraper(scraper: Scraper, baseUrl = scraper.baseUrl): ScraperDefinition {
  const name = scraper.constructor.name || 'Scraper';
  checkFields(scraper, name);
  if (!URL.canParse(baseUrl)) {
    throw new CurlewError(ErrorCode.scraperDefinition, `The base URL of ${name} is not an absolute URL: ${baseUrl}`, {
      remedy: "Set it like this: baseUrl = 'https://court.example';",
    });
  }
  const entries = new Map(Object.entries(scraper).filter((pair): pair is [string, Entry<unknown>] => isEntry(pair[1])));
  const methods = methodsOf(scraper);
  const speculators = speculatorsOf(scraper, methods);
  checkPriorities(scraper, name, methods);
  const sessions = sessionsOf(scraper);
  const functions = new Map<string, AuthorFunction>([
    ...methods,
    ...Object.entries(scraper).filter((pair): pair is [string, AuthorFunction] => typeof pair[1] === 'function'),
  ]);
  const names = new Map([...methods].map(([methodName, method]) => [method, methodName]));
  return {
    scraper,
    name,
    baseUrl,
    entries,
    speculators,
    sessions,
    steps: [...methods].filter(([, method]) => isGenerator(method)).map(([methodName]) => methodName),
    entryNamed: (entryName) => named(entries, name, 'entry', entryName),
    speculatorNamed: (speculatorName) => named(speculators, name, 'speculator', speculatorName),
    sessionNamed: (sessionName) => named(sessions, name, 'session', sessionName),
    hasStep: (stepName) => methods.has(stepName),
    stepNamed(stepName) {
      const step = methods.get(stepName);
      if (step === undefined) throw unknownStep(name, stepName, methods);
      return step;
    },
    nameOf(step) {
      const stepName = names.get(step);
      if (stepName === undefined) throw strangeStep(name, step);
      return stepName;
    },
    functionNamed(functionName) {
      const found = functions.get(functionName);
      if (found === undefined) throw unknownFunction(name, functionName);
      return found;
    },
    functionName(given) {
      const found = [...functions].find(([, one]) => one === given);
      if (found === undefined) throw strangeFunction(name, given);
      return found[0];
    },
  };
}

/** A priority of a step that does not exist would be ignored. */
function checkPriorities(scraper: Scraper, name: string, methods: ReadonlyMap<string, AnyStep>): void {
  const priorities: unknown = scraper.priorities;
  const wrong = (what: string, remedy: string) =>
    new CurlewError(ErrorCode.scraperDefinition, `The priorities of ${name} ${what}.`, { remedy });
  if (!isPlainObject(priorities)) throw wrong('are no object', 'Write priorities = { parseCase: 10 }.');
  for (const [step, priority] of Object.entries(priorities)) {
    if (!methods.has(step)) {
      const names = [...methods.keys()];
      throw wrong(`name ${step}, which is no step`, `${didYouMean(step, names)}Its methods are: ${names.join(', ')}.`);
    }
    if (!Number.isSafeInteger(priority)) throw wrong(`give ${step} no whole number`, 'Higher goes first; default 0.');
  }
}

/** Fields first, then decorated methods. */
function speculatorsOf(scraper: Scraper, methods: ReadonlyMap<string, AnyStep>): Map<string, Speculator> {
  const speculators = new Map(
    Object.entries(scraper).filter((pair): pair is [string, Speculator] => isSpeculator(pair[1])),
  );
  for (const [name, method] of methods) {
    const speculator = speculatorOf(method as unknown as (id: number) => unknown, scraper);
    if (speculator !== undefined) speculators.set(name, speculator);
  }
  return speculators;
}

/** Each is told the name of its field. */
function sessionsOf(scraper: Scraper): Map<string, Session> {
  const sessions = new Map(Object.entries(scraper).filter((pair): pair is [string, Session] => isSession(pair[1])));
  for (const [name, session] of sessions) nameSession(session, name);
  return sessions;
}

/** Methods of the class and its ancestors; the most derived one of a name wins. */
function methodsOf(scraper: Scraper): Map<string, AnyStep> {
  const methods = new Map<string, AnyStep>();
  let level = Object.getPrototypeOf(scraper);
  while (level !== null && level !== Object.prototype) {
    for (const key of Object.getOwnPropertyNames(level)) {
      const value = Object.getOwnPropertyDescriptor(level, key)?.value;
      if (key !== 'constructor' && typeof value === 'function' && !methods.has(key)) methods.set(key, value);
    }
    level = Object.getPrototypeOf(level);
  }
  return methods;
}

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor;

function isGenerator(method: AnyStep): boolean {
  return method instanceof GeneratorFunction;
}

function named<T>(all: ReadonlyMap<string, T>, scraper: string, sort: string, name: string): T {
  const found = all.get(name);
  if (found !== undefined) return found;
  throw new CurlewError(ErrorCode.unknownEntry, `${scraper} has no ${sort} named ${name} any more.`, {
    remedy: 'Use the scraper the run was begun with (--file), or begin a new run.',
  });
}

function unknownStep(scraper: string, step: string, methods: ReadonlyMap<string, AnyStep>): CurlewError {
  return new CurlewError(ErrorCode.scraperDefinition, `${scraper} has no step named ${step}.`, {
    remedy: `Its methods are: ${[...methods.keys()].join(', ') || 'none'}. A run must be resumed with the steps it was begun with.`,
  });
}

function strangeStep(scraper: string, step: AnyStep): CurlewError {
  return new CurlewError(
    ErrorCode.invalidRequest,
    `A request leads to ${step.name || 'a function'}, which is no method of ${scraper}.`,
    {
      remedy:
        'Steps are named by method reference, as in get(url, this.parseCase); arrow functions and bound methods cannot be stored.',
    },
  );
}

function unknownFunction(scraper: string, name: string): CurlewError {
  return new CurlewError(ErrorCode.scraperDefinition, `${scraper} has no method or field named ${name}.`, {
    remedy: 'A request of the run needs it: give it its name back, or name the file the run was begun with (--file).',
  });
}

function strangeFunction(scraper: string, given: AuthorFunction): CurlewError {
  const what = given.name || 'a function';
  return new CurlewError(
    ErrorCode.invalidRequest,
    `A download names ${what}, which is no method or field of ${scraper}.`,
    {
      remedy:
        'A request is stored, and may be made by another process: name the function by reference, as in this.fileAddress. A ' +
        'function that is written in place cannot be found again.',
    },
  );
}
