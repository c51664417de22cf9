// Fields of a scraper that an author believes to have an effect, and that have none: names of settings, other spellings of
// real fields, entries where nobody looks for them. All others are the author's own, and nobody's business.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { isPlainObject } from './author-function.ts';
import { isEntry } from './entry.ts';
import { isSession } from './session.ts';
import { isSpeculateDecorator, isSpeculator } from './speculate.ts';

/** What a scraper declares beside entries and speculators. */
const REAL = ['baseUrl', 'priorities', 'params'];

const TO_THE_RUN = 'Give it to the run: see curlew run --help, or run(scraper, { … }) in code.';
const WITH_A_REQUEST = 'Give it with each request: get({ url, headers, cookies }, …).';
const PACE = 'The pace is a setting of the run, in requests per second: --rate, or run(scraper, { rate }) in code.';
const RETRIES = 'What failed is asked for again by itself, and by curlew resume; how often is fixed.';
const BOUNDS = 'Let a step decide which requests it yields, or give a speculator maxProbes.';

/** What looks like a setting, in whatever spelling: of a run of Curlew, or of another crawler. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ...each(
    TO_THE_RUN,
    'concurrency maxConcurrency minConcurrency concurrentRequests concurrentRequestsPerDomain parallel',
  ),
  ...each(
    TO_THE_RUN,
    'robots robotsTxt robotsTxtObey obeyRobots respectRobots respectRobotsTxt userAgent proxy proxies',
  ),
  ...each(TO_THE_RUN, 'proxyUrl allowHosts allowHost allowedHosts allowedDomains durability maxPageBytes maxFileBytes'),
  ...each(TO_THE_RUN, 'timeout timeoutMs totalTimeoutMs totalTimeout requestTimeout downloadTimeout patience settings'),
  ...each(
    TO_THE_RUN,
    'customSettings dataDirectory schedule redactArchive patienceMs stepTimeoutMs stepMemoryMb stepTimeout stepMemory',
  ),
  ...each(PACE, 'rate rateLimit rateLimitMs requestsPerSecond requestsPerMinute maxRequestsPerMinute delay delayMs'),
  ...each(PACE, 'requestDelay downloadDelay crawlDelay throttle autoThrottle autoThrottleEnabled'),
  ...each(WITH_A_REQUEST, 'headers defaultHeaders requestHeaders defaultRequestHeaders cookies cookiesEnabled'),
  ...each(RETRIES, 'retry retries retryTimes retryDelay maxRetries maxRequestRetries maxAttempts'),
  ...each(BOUNDS, 'maxPages maxRequests maxRequestsPerCrawl maxDepth maxCrawlDepth depthLimit pageLimit'),
  ...each('Priorities are by step: priorities = { parseCase: 10 }.', 'priority'),
]);

function each(remedy: string, names: string): [string, string][] {
  return names.split(' ').map((name) => [plain(name), remedy]);
}

/** `user_agent`, `USER_AGENT` and `userAgent` are one name. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Throws `scraper_definition` for a field that would be ignored although it looks as if it would not. */
export function checkFields(scraper: object, name: string): void {
  for (const [field, value] of fieldsOf(scraper)) {
    if (isDeclared(value)) continue;
    if (isSpeculateDecorator(value)) throw noFunction(name, field);
    const held = wayInWithin(value);
    if (held !== undefined) throw hidden(name, `${field}${held}`, 'inside of a value');
    if (typeof value !== 'function') checkName(name, field);
  }
  for (const [field, value] of staticsOf(scraper)) {
    if (isDeclared(value)) throw hidden(name, field, 'static');
    if (typeof value !== 'function') checkName(name, field);
  }
}

function checkName(scraper: string, field: string): void {
  const real = REAL.find((one) => plain(one) === plain(field));
  if (real !== undefined && real !== field) {
    throw new CurlewError(
      ErrorCode.scraperDefinition,
      `${scraper} has a field ${field}, which means nothing to Curlew.`,
      {
        remedy: `Did you mean ${real}? If it is your own, give it another name.`,
      },
    );
  }
  const remedy = SETTINGS.get(plain(field));
  if (remedy === undefined) return;
  throw new CurlewError(
    ErrorCode.scraperDefinition,
    `${scraper} has a field ${field}, which looks like a setting and would be ignored: a scraper has no settings.`,
    { remedy: `${remedy} If ${field} is a value of your own, make it private (#${field}) or give it another name.` },
  );
}

/** Fields of the instance, and getters of its classes. */
function* fieldsOf(scraper: object): Generator<[string, unknown]> {
  for (const field of Object.getOwnPropertyNames(scraper)) yield [field, Reflect.get(scraper, field)];
  for (let level = Object.getPrototypeOf(scraper); !isRoot(level); level = Object.getPrototypeOf(level)) {
    for (const [field, { get }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (get !== undefined) yield [field, undefined];
    }
  }
}

/** Static fields of its classes. */
function* staticsOf(scraper: object): Generator<[string, unknown]> {
  for (let level = Object.getPrototypeOf(scraper); !isRoot(level); level = Object.getPrototypeOf(level)) {
    for (const [field, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level.constructor))) {
      if (!OF_EVERY_CLASS.includes(field)) yield [field, value];
    }
  }
}

const OF_EVERY_CLASS = ['length', 'name', 'prototype'];

/** `Scraper` itself, and what is below it, is ours. */
function isRoot(prototype: object): boolean {
  const parent = Object.getPrototypeOf(prototype);
  return parent === null || parent === Object.prototype;
}

/** What is looked for among the public fields. */
function isDeclared(value: unknown): boolean {
  return isEntry(value) || isSpeculator(value) || isSession(value);
}

/** Where in a list or an object there is such a thing: `[0]`, `.byNumber`. */
function wayInWithin(value: unknown): string | undefined {
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  const found = Object.entries(value).find(([, one]) => isDeclared(one));
  if (found === undefined) return undefined;
  return Array.isArray(value) ? `[${found[0]}]` : `.${found[0]}`;
}

function hidden(scraper: string, place: string, where: string): CurlewError {
  return new CurlewError(
    ErrorCode.scraperDefinition,
    `${scraper} declares ${place} ${where}, where nobody looks for it.`,
    {
      remedy: 'An entry, a speculator or a session is a public field of the scraper: start = entry(() => …);',
    },
  );
}

function noFunction(scraper: string, field: string): CurlewError {
  return new CurlewError(
    ErrorCode.scraperDefinition,
    `Speculator ${field} of ${scraper} does not say how to ask for an id.`,
    { remedy: `Give it a function: ${field} = speculate({ … }, (id) => get(…)).` },
  );
}
