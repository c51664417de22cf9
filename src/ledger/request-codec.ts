// Requests to rows and back. What most requests do not have shares one JSON column, empty for a plain GET.
// The property test proves that every field survives.

import type { Json } from '../platform/json.ts';
import type { ProbeMark } from './probe.ts';
import type { RequestBody, RequestSpec, StoredAccept, ValueReference } from './request-spec.ts';
import { requireJson } from './stored-json.ts';

export interface RequestRow {
  readonly method: string;
  readonly url: string;
  readonly step: string | null;
  readonly priority: number;
  readonly depth: number;
  readonly extra: string | null;
}

interface Extra {
  readonly saves?: 'file';
  readonly via?: 'browser';
  /** In an array of one, so that a context of null differs from none. */
  readonly context?: readonly [Json];
  readonly body?: RequestBody;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly values?: Readonly<Record<string, ValueReference>>;
  readonly signed?: string;
  readonly accept?: readonly StoredAccept[];
  readonly from?: readonly string[];
  readonly path?: string;
  readonly waitFor?: string;
  readonly probe?: ProbeMark;
}

export function encodeRequest(spec: RequestSpec): RequestRow {
  return {
    method: spec.method,
    url: spec.url,
    step: spec.step ?? null,
    priority: spec.priority,
    depth: spec.depth,
    extra: encodeExtra(spec),
  };
}

export function decodeRequest(row: RequestRow): RequestSpec {
  const extra: Extra =
    row.extra === null ? {} : (requireJson(row.extra, `details of the request of ${row.url}`) as Extra);
  return {
    method: row.method === 'POST' ? 'POST' : 'GET',
    url: row.url,
    saves: extra.saves ?? 'page',
    step: row.step ?? undefined,
    context: extra.context?.[0],
    body: extra.body,
    headers: extra.headers,
    cookies: extra.cookies,
    session: extra.session,
    values: extra.values,
    signed: extra.signed,
    accept: extra.accept,
    from: extra.from,
    path: extra.path,
    via: extra.via ?? 'http',
    waitFor: extra.waitFor,
    probe: extra.probe,
    priority: row.priority,
    depth: row.depth,
  };
}

function encodeExtra(spec: RequestSpec): string | null {
  const extra: Extra = {
    ...(spec.saves === 'file' && { saves: spec.saves }),
    ...(spec.via === 'browser' && { via: spec.via }),
    ...(spec.context !== undefined && { context: [spec.context] as const }),
    ...(spec.body !== undefined && { body: spec.body }),
    ...(spec.headers !== undefined && { headers: spec.headers }),
    ...(spec.cookies !== undefined && { cookies: spec.cookies }),
    ...(spec.session !== undefined && { session: spec.session }),
    ...(spec.values !== undefined && { values: spec.values }),
    ...(spec.signed !== undefined && { signed: spec.signed }),
    ...(spec.accept !== undefined && { accept: spec.accept }),
    ...(spec.from !== undefined && { from: spec.from }),
    ...(spec.path !== undefined && { path: spec.path }),
    ...(spec.waitFor !== undefined && { waitFor: spec.waitFor }),
    ...(spec.probe !== undefined && { probe: spec.probe }),
  };
  for (const _ in extra) return JSON.stringify(extra);
  return null;
}
