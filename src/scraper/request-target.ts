// What an author wrote as the target of a request, checked: its address and its options. An option that does not exist, or
// has a value that it cannot have, is an error: it would be ignored otherwise.

import { findFileHostFault } from '../fetch/guard/file-hosts.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import { isAccept } from './accept.ts';
import { describeValue, isPlainObject } from './author-function.ts';
import type { FileOptions, Request, RequestOptions } from './request.ts';
import { isSession, SessionValue } from './session.ts';

const NO_OPTIONS: RequestOptions = Object.freeze({});

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTexts = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'string' || one instanceof SessionValue);

/** Every option, and what it may be. */
const OPTIONS: Options<RequestOptions> = {
  headers: [isTexts, 'an object of texts by name'],
  cookies: [isTexts, 'an object of texts by name'],
  priority: [Number.isSafeInteger, 'a whole number'],
  key: [(value) => value === false || isText(value), 'a text, or false'],
  session: [(value) => isText(value) || isSession(value), 'a session of the scraper, or a text'],
  via: [(value) => value === 'http' || value === 'browser', "'http' or 'browser'"],
  waitFor: [isText, 'a CSS selector'],
};

const isHosts = (value: unknown) =>
  Array.isArray(value) && value.every(isText) && findFileHostFault(value.join(' ')) === undefined;

/** Options of files, and what they may be. */
const FILE_OPTIONS: Options<FileOptions> = {
  accept: [isAccept, 'pdf(…), minBytes(n), notHtml(), a function, or a list of these'],
  from: [isHosts, 'a list of hosts, such as *.box.com'],
  path: [isText, 'a text'],
};

/** By name: what is allowed, and how to say it. */
type Options<T> = Readonly<Record<keyof T, OptionRule>>;
type OptionRule = readonly [isAllowed: (value: unknown) => boolean, wanted: string];

/** What a filled-in form has beside its address. */
const OF_A_FORM = ['kind', 'method', 'fields', 'encoding'];

/** `maker` is the function that was called, for errors. Throws `invalid_request`. */
export function readTarget(maker: string, target: unknown): Pick<Request, 'url' | 'options'> {
  if (typeof target === 'string') return { url: target, options: NO_OPTIONS };
  const url = addressOf(target);
  if (url === undefined) throw noAddress(maker, target);
  return { url, options: isPlain(target) ? readOptions(maker, url, target) : NO_OPTIONS };
}

function addressOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  if ('href' in target && typeof target.href === 'string') return target.href;
  return 'url' in target ? addressOf(target.url) : undefined;
}

/** Written as an object by the author: not a `URL` or a link, which have properties of their own. */
function isPlain(target: unknown): target is Readonly<Record<string, unknown>> {
  const prototype = Object.getPrototypeOf(target);
  return prototype === Object.prototype || prototype === null;
}

function readOptions(
  maker: string,
  url: string,
  target: Readonly<Record<string, unknown>>,
): RequestOptions & FileOptions {
  const isAddress = (name: string) => name === 'url' || name === 'href';
  const isOfForm = (name: string) => target.kind === 'submission' && OF_A_FORM.includes(name);
  const given = Object.entries(target).filter(([name]) => !isAddress(name) && !isOfForm(name));
  const known: Readonly<Record<string, OptionRule>> = maker === 'download' ? { ...OPTIONS, ...FILE_OPTIONS } : OPTIONS;
  return checkOptions(maker, url, given, known);
}

/** Options of a file that stand for themselves. */
export function readFileOptions(maker: string, url: string, options: unknown): FileOptions {
  if (isPlainObject(options)) return checkOptions(maker, url, Object.entries(options), FILE_OPTIONS);
  throw new CurlewError(ErrorCode.invalidRequest, `${maker} of ${url} is given ${describeValue(options)} as options.`);
}

function checkOptions(
  maker: string,
  url: string,
  given: readonly (readonly [string, unknown])[],
  known: Readonly<Record<string, OptionRule>>,
): RequestOptions & FileOptions {
  const options: Record<string, unknown> = {};
  for (const [name, value] of given) {
    if (value === undefined) continue;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) throw unknownOption(maker, url, name, Object.keys(known));
    const [isAllowed, wanted] = option;
    if (!isAllowed(value)) throw badOption(maker, url, name, wanted);
    options[name] = value;
  }
  return options;
}

function noAddress(maker: string, target: unknown): CurlewError {
  const what = Array.isArray(target)
    ? 'a list'
    : target === undefined || target === null
      ? String(target)
      : 'no address';
  const summary =
    what === 'no address' ? 'A request has no address.' : `A request has no address: ${maker} is given ${what}.`;
  return new CurlewError(ErrorCode.invalidRequest, summary, {
    summary,
    remedy: 'Give a string, a URL, a link of the page, or an object with a url; one request for each.',
  });
}

function unknownOption(maker: string, url: string, name: string, names: readonly string[]): CurlewError {
  return new CurlewError(ErrorCode.invalidRequest, `${maker} of ${url} has no option ${name}.`, {
    summary: `${maker} has no option ${name}.`,
    remedy: `${didYouMean(name, names)}Its options are: ${names.join(', ')}.`,
  });
}

function badOption(maker: string, url: string, name: string, wanted: string): CurlewError {
  const must = `is given a ${name} that cannot be used: it must be ${wanted}.`;
  return new CurlewError(ErrorCode.invalidRequest, `${maker} of ${url} ${must}`, { summary: `${maker} ${must}` });
}
