// Which page an address is. Every page has an address of its own, so that it can be kept, sent and reloaded.

export type Route =
  | { readonly kind: 'overview' }
  | { readonly kind: 'runs' }
  | { readonly kind: 'run'; readonly run: number }
  | { readonly kind: 'requests'; readonly run: number }
  | { readonly kind: 'request'; readonly run: number; readonly request: number }
  | { readonly kind: 'records'; readonly run: number }
  | { readonly kind: 'cases' }
  | { readonly kind: 'case'; readonly source: string; readonly token: string }
  | { readonly kind: 'indexVersions' }
  | { readonly kind: 'indexVersion'; readonly version: number }
  | { readonly kind: 'hosts' }
  | { readonly kind: 'deadLetters' }
  | { readonly kind: 'start' }
  | { readonly kind: 'report' }
  | { readonly kind: 'login' }
  | { readonly kind: 'unknown' };

const UNKNOWN: Route = { kind: 'unknown' };

export function routeOf(pathname: string): Route {
  const parts = pathname.split('/').filter((part) => part !== '');
  const [first, second, third, fourth] = parts;
  switch (first) {
    case undefined:
      return { kind: 'overview' };
    case 'runs':
      return parts.length === 1 ? { kind: 'runs' } : runRoute(parts.length, numberOf(second), third, numberOf(fourth));
    case 'cases': {
      if (parts.length === 1) return { kind: 'cases' };
      const source = decode(second);
      const token = decode(third);
      if (parts.length !== 3 || source === undefined || token === undefined) return UNKNOWN;
      return { kind: 'case', source, token };
    }
    case 'index': {
      if (parts.length === 1) return { kind: 'indexVersions' };
      const version = numberOf(second);
      return version === undefined || parts.length > 2 ? UNKNOWN : { kind: 'indexVersion', version };
    }
    default: {
      const kind = SINGLE[first];
      return kind === undefined || parts.length > 1 ? UNKNOWN : { kind };
    }
  }
}

const SINGLE: Readonly<Record<string, 'hosts' | 'deadLetters' | 'start' | 'report' | 'login' | undefined>> = {
  hosts: 'hosts',
  'dead-letters': 'deadLetters',
  start: 'start',
  report: 'report',
  login: 'login',
};

function runRoute(
  length: number,
  run: number | undefined,
  part: string | undefined,
  request: number | undefined,
): Route {
  if (run === undefined) return UNKNOWN;
  if (length === 2) return { kind: 'run', run };
  if (length === 3 && part === 'records') return { kind: 'records', run };
  if (part !== 'requests') return UNKNOWN;
  if (length === 3) return { kind: 'requests', run };
  return length === 4 && request !== undefined ? { kind: 'request', run, request } : UNKNOWN;
}

function numberOf(part: string | undefined): number | undefined {
  return part !== undefined && /^[1-9]\d{0,14}$/.test(part) ? Number(part) : undefined;
}

function decode(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The page of a case. */
export function casePath({ source, token }: { readonly source: string; readonly token: string }): string {
  return `/cases/${encodeURIComponent(source)}/${encodeURIComponent(token)}`;
}

/** The page of a version of an index. */
export function indexPath(version: number, source: string): string {
  return `/index/${version}${queryOf({ source })}`;
}

/** A query with what is given; nothing for what is undefined or empty. Begins with `?` unless it is empty. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
