// The paths of judicial.ky. One function from a request to a reply; what is not listed here is 404.

import type { Gate } from '../gate.ts';
import {
  conditionalReply,
  type Handler,
  htmlReply,
  type Reply,
  type SimRequest,
  statusReply,
  textReply,
} from '../reply.ts';
import type { SignedUrls } from '../signed-urls.ts';
import { advancedSearchPage } from './advanced-search.ts';
import { ajaxReply } from './ajax.ts';
import type { Corpus } from './corpus.ts';
import type { Edition } from './edition.ts';
import { ADVANCED_SEARCH_PATH, AJAX_PATH, CSV_PATH, REGISTER_PATH } from './paths.ts';
import { registerPage } from './register-page.ts';
import type { JudicialKySettings } from './settings.ts';
import { parseSwitchName, type SwitchName } from './switches.ts';

export interface SiteParts {
  readonly corpus: Corpus;
  readonly gate: Gate;
  readonly urls: SignedUrls;
  readonly boxUrl: string;
  /** What is shown now. */
  readonly edition: () => Edition;
  readonly settings: () => JudicialKySettings;
  /** The text of robots.txt now, or null when there is none. */
  readonly robots: () => string | null;
}

/** A broken index is newer than the good one, whatever validator a client compares. */
const HOUR_MS = 3_600_000;

export function siteHandler(parts: SiteParts): Handler {
  return (request, name) => {
    const quirk = name === undefined ? undefined : parseSwitchName(name);
    const { method, pathname } = request;
    if (pathname === AJAX_PATH) return ajaxReply(parts, request, quirk);
    if (method !== 'GET' && method !== 'HEAD') return statusReply(405, { allow: 'GET, HEAD' });
    return page(parts, request, quirk) ?? statusReply(404);
  };
}

function page(parts: SiteParts, request: SimRequest, quirk: SwitchName | undefined): Reply | undefined {
  switch (request.pathname) {
    case REGISTER_PATH:
      return registerReply(parts, request, quirk);
    case ADVANCED_SEARCH_PATH:
      return htmlReply(
        200,
        advancedSearchPage(parts.edition().cases, listPageOf(request)),
        parts.gate.welcome(request),
      );
    case CSV_PATH:
      return csvReply(parts.edition(), request, quirk);
    case '/robots.txt': {
      const text = parts.robots();
      return text === null ? undefined : textReply(200, text);
    }
    case '/':
      return statusReply(302, { location: REGISTER_PATH });
    default:
      return undefined;
  }
}

function registerReply(
  { gate, edition, settings }: SiteParts,
  request: SimRequest,
  quirk: SwitchName | undefined,
): Reply {
  const isStale = quirk === 'page-stale-nonce';
  const body = registerPage({
    rows: edition().rows,
    nonce: isStale ? gate.staleNonce : gate.nonce,
    nonceName: settings().nonceName,
    isCovered: quirk === 'page-covered',
  });
  return htmlReply(200, body, { ...gate.welcome(request), 'x-cache': isStale ? 'HIT' : 'MISS' });
}

function csvReply({ csv, csvLastModified }: Edition, request: SimRequest, quirk: SwitchName | undefined): Reply {
  const file = (body: string): Reply => ({ status: 200, headers: { 'content-type': 'text/csv' }, body });
  switch (quirk) {
    case 'csv-header-only':
      return conditionalReply(request, file(csv.slice(0, csv.indexOf('\n') + 1)), csvLastModified + HOUR_MS);
    case 'csv-half':
      return conditionalReply(request, file(csv.slice(0, csv.length / 2)), csvLastModified + HOUR_MS);
    default:
      return conditionalReply(request, file(csv), csvLastModified);
  }
}

function listPageOf({ search }: SimRequest): number {
  return Math.max(1, Number.parseInt(new URLSearchParams(search).get('listpage') ?? '1', 10) || 1);
}
