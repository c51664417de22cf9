// A request as a step yielded it becomes one that can be queued: address absolute and canonical, step by name, context
// checked to be data, identity computed. Pure.

import { hash } from 'node:crypto';
import type { NewRequest } from '../ledger/page-result.ts';
import type { ProbeMark } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { findNonJson, type Json } from '../platform/json.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Request } from '../scraper/request.ts';
import { requestIdentity } from '../scraper/request-identity.ts';

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
  const { options } = request;
  const url = canonicalUrl(request.url, at.base);
  const step = request.step === undefined ? undefined : definition.nameOf(request.step);
  const context = readContext(request.context, step, url);
  const spec = {
    method: request.method,
    url,
    saves: request.saves,
    step,
    context,
    body: request.body,
    headers: options.headers,
    cookies: options.cookies,
    session: options.session,
    via: options.via ?? 'http',
    waitFor: options.waitFor,
    probe,
    priority: options.priority ?? (step === undefined ? 0 : (definition.scraper.priorities[step] ?? 0)),
    depth: at.depth,
  } as const;
  const identity = requestIdentity(
    { method: request.method, url, body: request.body, key: options.key },
    at.occurrence,
  );
  return { spec, host: hostOf(url), identity, reading: readingOf(step, context) };
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
