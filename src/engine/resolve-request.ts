// A request as a step yielded it becomes one that can be queued: address absolute and canonical, step by name, context
// checked to be data, identity computed. Pure.

import { hash } from 'node:crypto';
import type { NewRequest } from '../ledger/page-result.ts';
import type { ProbeMark } from '../ledger/probe.ts';
import type { RequestSpec, StoredAccept } from '../ledger/request-spec.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { findNonJson, type Json } from '../platform/json.ts';
import type { Accept } from '../scraper/accept.ts';
import { canonicalUrl, rootOf } from '../scraper/canonical-url.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Request } from '../scraper/request.ts';
import { requestIdentity } from '../scraper/request-identity.ts';
import { isSession, sessionName } from '../scraper/session.ts';
import { hasMark, placeValues } from '../scraper/value-marker.ts';

export interface YieldedAt {
  /** What relative addresses are resolved against. */
  readonly base: string;
  readonly depth: number;
  /** Names the one place it was yielded at, the same in every repetition: see `requestIdentity`. */
  readonly occurrence: string;
}

export function resolveRequest(
  request: Request,
  at: YieldedAt,
  definition: ScraperDefinition,
  probe?: ProbeMark,
): NewRequest {
  const { options, signed } = request;
  const given = { url: request.url, body: request.body, headers: options.headers, cookies: options.cookies };
  // Most requests are an address and no more.
  const isBare = !given.body && !given.headers && !given.cookies && !hasMark(given.url);
  const { parts, values } = isBare ? { parts: given, values: undefined } : placeValues(given);
  const { body, headers, cookies } = parts as Pick<RequestSpec, 'body' | 'headers' | 'cookies'>;
  const url = canonicalUrl(parts.url, at.base);
  const step = request.step === undefined ? undefined : definition.nameOf(request.step);
  const context = readContext(request.context, step, url);
  const session = sessionOf(options.session, values, url, definition);
  const spec = {
    method: request.method,
    url,
    saves: request.saves,
    step,
    context,
    body,
    headers,
    cookies,
    session,
    values,
    signed: signed && definition.functionName(signed),
    accept: options.accept && storedAccept(options.accept, definition),
    from: options.from,
    path: options.path,
    via: options.via ?? 'http',
    waitFor: options.waitFor,
    probe,
    priority: options.priority ?? (step === undefined ? 0 : (definition.scraper.priorities[step] ?? 0)),
    depth: at.depth,
  } satisfies RequestSpec;
  const identity = requestIdentity(
    { method: request.method, url, body, key: options.key, values, signed: signed !== undefined },
    at.occurrence,
  );
  return { spec, host: hostOf(url), identity, reading: readingOf(step, context) };
}

/** The name of the session: the one given, or that of the values used. They must be one and the same. */
function sessionOf(
  given: Request['options']['session'],
  values: RequestSpec['values'],
  url: string,
  { name: scraper, sessions }: ScraperDefinition,
): string | undefined {
  const named = isSession(given) ? (sessionName(given) ?? '') : given;
  if (isSession(given) && sessions.get(named ?? '') !== given) throw strangeSession(scraper, url);
  if (values === undefined) return named;
  for (const [placeholder, { session }] of Object.entries(values)) {
    if (!sessions.has(session)) throw strangeSession(scraper, url);
    if (session !== (named ?? session)) {
      const problem = `is made in session ${named}, and uses a value of session ${session}`;
      throw new CurlewError(ErrorCode.invalidRequest, `The request of ${url} ${problem}.`, {
        summary: `A request ${problem}.`,
        remedy: `Give it session: this.${session}.`,
      });
    }
    if (rootOf(url)?.includes(placeholder.toLowerCase())) {
      throw new CurlewError(ErrorCode.invalidRequest, `The host of ${url} is a value of session ${session}.`, {
        remedy: 'Values of a session can stand in the path and the query of an address.',
      });
    }
  }
  return named ?? Object.values(values)[0]?.session;
}

function strangeSession(scraper: string, url: string): CurlewError {
  const problem = `names a session that is no public field of ${scraper}`;
  return new CurlewError(ErrorCode.invalidRequest, `The request of ${url} ${problem}.`, {
    summary: `A request ${problem}.`,
    remedy: 'Declare it as a public field: court = session({ … });',
  });
}

function storedAccept(accept: Accept, definition: ScraperDefinition): StoredAccept[] {
  return [accept]
    .flat()
    .map((one) => (typeof one === 'function' ? { kind: 'function', name: definition.functionName(one) } : one));
}

let lastHost: { readonly root: string; readonly host: string } | undefined;

/**
 * host:port of a canonical URL, without parsing it again: what lies between `//` (or `@`) and the next `/`. The links of
 * a page mostly lead to one host, so the last is remembered.
 */
export function hostOf(url: string): string {
  if (lastHost !== undefined && url.startsWith(lastHost.root)) return lastHost.host;
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  const authority = end === -1 ? url.slice(start) : url.slice(start, end);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (end !== -1) lastHost = { root: url.slice(0, end + 1), host };
  return host;
}

function readContext(context: unknown, step: string | undefined, url: string): Json | undefined {
  if (context === undefined) return undefined;
  const bad = findNonJson(context);
  if (bad !== undefined) {
    throw new CurlewError(
      ErrorCode.invalidRequest,
      `The context for ${step ?? url} cannot be stored: ${bad} is not JSON.`,
      {
        remedy: 'Pass strings, finite numbers, booleans, null, and arrays and plain objects of these.',
      },
    );
  }
  return context as Json;
}

const plainReadings = new Map<string | undefined, number>();

function readingOf(step: string | undefined, context: Json | undefined): number {
  if (context !== undefined) return hash32(`${step}\n${JSON.stringify(context)}`);
  const known = plainReadings.get(step);
  if (known !== undefined) return known;
  const reading = hash32(`${step}`);
  plainReadings.set(step, reading);
  return reading;
}

function hash32(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0);
}
