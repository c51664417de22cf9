// Everything that can go wrong on these two origins, by name: the closed list that tests go through. A switch is a fault
// with its place; when it strikes, and how often, is the scope's.

import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import type { FaultScope, RequestFault } from '../fault.ts';
import { AJAX_PATH, BOX_PATH, CSV_PATH, REGISTER_PATH } from './paths.ts';
import { redesignedPage } from './register-page.ts';

export type Origin = 'site' | 'box';

interface Switch {
  readonly origin: Origin;
  readonly fault: RequestFault;
}

/** Which requests a switch is for: a fault's scope, without the path, which is the switch's own. */
export type SwitchScope = Omit<FaultScope, 'path'>;

const HTML = '<!doctype html>\n<title>Just a moment…</title>\n<h1>Checking your browser</h1>\n';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Not a page with a query: a page cache keeps that apart. */
const CACHED_PAGE = new RegExp(`^${REGISTER_PATH}$`);

export const SWITCHES = {
  /** A page cache gives a nonce that is no longer good. Asking with any query passes by the cache. */
  'page-stale-nonce': quirk('page-stale-nonce', CACHED_PAGE),
  /** Another page: no `#judgment-registers`, no nonce. */
  'page-redesigned': site({ kind: 'status', status: 200, body: redesignedPage(), path: REGISTER_PATH }),
  /** A banner lies over the page: it can be read, but nothing can be clicked. */
  'page-covered': quirk('page-covered', REGISTER_PATH),
  'csv-503': site({ kind: 'status', status: 503, path: CSV_PATH }),
  'csv-html': site({ kind: 'status', status: 200, body: HTML, path: CSV_PATH }),
  'csv-header-only': quirk('csv-header-only', CSV_PATH),
  /** The first half, with an honest Content-Length. */
  'csv-half': quirk('csv-half', CSV_PATH),
  'ajax-403': ajax(403, '-1'),
  'ajax-minus-one': ajax(200, '-1'),
  'ajax-refused': ajax(200, '{"success":false,"data":"The file is not available."}', JSON_TYPE),
  'ajax-html': ajax(200, HTML),
  'ajax-empty': ajax(200, ''),
  'ajax-no-url': ajax(200, '{"success":true,"data":{}}', JSON_TYPE),
  'ajax-bad-url': ajax(200, '{"success":true,"data":{"fid":"about:blank"}}', JSON_TYPE),
  'ajax-429': ajax(429, 'Too many requests', { 'retry-after': '1' }),
  'ajax-500': ajax(500, 'There has been a critical error on this website.'),
  'ajax-reset': site({ kind: 'reset', path: AJAX_PATH }),
  /** All nonces given so far become worthless just before this request is looked at. */
  'nonce-rotated': quirk('nonce-rotated', AJAX_PATH),
  /** The session of this request is forgotten just before it is looked at. */
  'cookie-lost': quirk('cookie-lost', AJAX_PATH),
  /** The signed URL given has expired already. */
  'url-expired': quirk('url-expired', AJAX_PATH),
  /** Box has the file not ready. */
  'pdf-202': pdf({ kind: 'status', status: 202, headers: { 'retry-after': '1' }, body: '' }),
  /** A 302 first, to an address that gives the file. */
  'pdf-redirect': pdf({ kind: 'quirk', name: 'pdf-redirect' }),
  'pdf-401': pdf({ kind: 'status', status: 401 }),
  'pdf-403': pdf({ kind: 'status', status: 403 }),
  'pdf-404': pdf({ kind: 'status', status: 404 }),
  'pdf-429': pdf({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  'pdf-500': pdf({ kind: 'status', status: 500 }),
  'pdf-slow': pdf({ kind: 'slow', bytesPerSecond: 4_000 }),
  'pdf-reset': pdf({ kind: 'reset', afterBytes: 700 }),
  'pdf-truncated': pdf({ kind: 'truncate' }),
  'pdf-html': pdf({ kind: 'status', status: 200, body: HTML }),
  /** The first half of the file, with an honest Content-Length. */
  'pdf-half': pdf({ kind: 'quirk', name: 'pdf-half' }),
  'pdf-tiny': pdf({
    kind: 'status',
    status: 200,
    body: '%PDF-1.4\n%%EOF\n',
    headers: { 'content-type': 'application/pdf' },
  }),
} satisfies Readonly<Record<string, Switch>>;

export type SwitchName = keyof typeof SWITCHES;

export function isSwitchName(name: string): name is SwitchName {
  return Object.hasOwn(SWITCHES, name);
}

/** The name of a switch that comes from outside. */
export function parseSwitchName(value: unknown): SwitchName {
  if (typeof value === 'string' && isSwitchName(value)) return value;
  const remedy = `Give one of ${Object.keys(SWITCHES).join(', ')}.`;
  throw new CurlewError(ErrorCode.usage, `Not a switch: ${JSON.stringify(value)}.`, { remedy });
}

function site(fault: RequestFault): Switch {
  return { origin: 'site', fault };
}

function quirk(name: string, path: string | RegExp): Switch {
  return site({ kind: 'quirk', name, path });
}

function ajax(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Switch {
  return site({ kind: 'status', status, body, headers, path: AJAX_PATH });
}

function pdf(fault: RequestFault): Switch {
  return { origin: 'box', fault: { ...fault, path: BOX_PATH } };
}
