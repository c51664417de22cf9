// The court's paths. One function from a request to a reply; what is not listed here is 404.

import { pdfWithText } from '../pdf.ts';
import {
  conditionalReply,
  type Handler,
  htmlReply,
  jsonReply,
  type Reply,
  type SimRequest,
  statusReply,
  textReply,
} from '../reply.ts';
import { bigFile } from './big-file.ts';
import type { CaseLists } from './case-lists.ts';
import { caseJson, caseNotFoundPage, casePage, scriptedCasePage } from './case-page.ts';
import type { Docket } from './docket.ts';
import { graphPage } from './graph.ts';
import { courtPage } from './html.ts';
import { listPage } from './list-page.ts';
import type { Search } from './search.ts';

export interface CourtParts {
  readonly docket: Docket;
  readonly lists: CaseLists;
  readonly search: Search;
  readonly graphPages: number;
  /** The text of robots.txt now, or null when there is none. */
  readonly robots: () => string | null;
}

export function courtHandler(parts: CourtParts): Handler {
  return (request) => {
    const { method, pathname } = request;
    if (method === 'POST' && pathname === '/search') return parts.search.results(request);
    if (method !== 'GET' && method !== 'HEAD') return statusReply(405, { allow: 'GET, HEAD' });
    const slash = pathname.indexOf('/', 1);
    const section = slash === -1 ? pathname : pathname.slice(0, slash + 1);
    return page(parts, request, section, pathname.slice(section.length)) ?? statusReply(404);
  };
}

/** The bytes of a case's PDF; undefined when the case has no such document. */
export function documentBytes(docket: Docket, path: string): Buffer | undefined {
  const [, id, n] = /^\/files\/(\d+)-(\d+)\.pdf$/.exec(path) ?? [];
  if (id === undefined || docket.standing(Number(id)) !== 'public') return undefined;
  const { number, documents } = docket.record(Number(id));
  return documents.includes(path) ? pdfWithText(`Case ${number}, document ${n}`) : undefined;
}

function page(parts: CourtParts, request: SimRequest, section: string, rest: string): Reply | undefined {
  const { docket, lists, search, graphPages } = parts;
  const query = () => new URLSearchParams(request.search);
  switch (section) {
    case '/graph/': {
      const n = idOf(rest);
      return n === undefined || n >= graphPages ? undefined : htmlReply(200, graphPage(n, graphPages));
    }
    case '/case/':
      return casePageReply(docket, request, idOf(rest));
    case '/js/': {
      const id = idAfter('case/', rest);
      return id === undefined ? undefined : htmlReply(200, scriptedCasePage(id));
    }
    case '/api/':
      return caseJsonReply(docket, idAfter('case/', rest));
    case '/files/':
      return rest === 'big' ? bigReply(query()) : pdfReply(docket, request);
    case '/list/':
      return optionalHtml(lists.page(rest, pageOf(query())));
    case '/recent':
      return recentReply(docket, query());
    case '/search':
      return search.form(request);
    case '/robots.txt': {
      const text = parts.robots();
      return text === null ? undefined : textReply(200, text);
    }
    case '/private/':
      return htmlReply(200, courtPage('Private', '<h1>Private</h1>\n<p>robots.txt asks not to fetch this.</p>'));
    case '/':
      return htmlReply(200, homePage(lists.names()));
    default:
      return undefined;
  }
}

function casePageReply(docket: Docket, request: SimRequest, id: number | undefined): Reply | undefined {
  if (id === undefined) return undefined;
  switch (docket.standing(id)) {
    case 'public':
      return conditionalReply(request, htmlReply(200, casePage(docket, id)), Date.parse(docket.record(id).filed));
    case 'sealed':
      return statusReply(403);
    case 'soft-missing':
      return htmlReply(200, caseNotFoundPage());
    case 'redirect-missing':
      return statusReply(302, { location: '/search?notfound=1' });
    case 'absent':
      return undefined;
  }
}

function caseJsonReply(docket: Docket, id: number | undefined): Reply {
  const standing = id === undefined ? 'absent' : docket.standing(id);
  if (id !== undefined && standing === 'public') return jsonReply(200, caseJson(docket, id));
  return standing === 'sealed' ? jsonReply(403, { error: 'Sealed' }) : jsonReply(404, { error: 'Case not found' });
}

function pdfReply(docket: Docket, request: SimRequest): Reply | undefined {
  const body = documentBytes(docket, request.pathname);
  if (body === undefined) return undefined;
  const filed = docket.record(Number.parseInt(request.pathname.slice('/files/'.length), 10)).filed;
  return conditionalReply(
    request,
    { status: 200, headers: { 'content-type': 'application/pdf' }, body },
    Date.parse(filed),
  );
}

function bigReply(query: URLSearchParams): Reply {
  const bytes = Number(query.get('bytes') ?? 1_000_000);
  if (!Number.isSafeInteger(bytes) || bytes < 0) return statusReply(400);
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: bigFile(bytes) };
}

/** Newest first; without `since`, all cases. */
function recentReply(docket: Docket, query: URLSearchParams): Reply {
  const since = query.get('since') ?? '';
  if (!/^(\d{4}-\d\d-\d\d)?$/.test(since)) return statusReply(400);
  const cases = docket
    .publicIds()
    .filter((id) => docket.record(id).filed >= since)
    .reverse();
  const pagePath = (page: number) => `/recent?since=${since}&page=${page}`;
  const listing = { heading: 'Recent cases', cases, total: cases.length, pagePath, jumps: new Map() };
  return htmlReply(200, listPage(docket, listing, pageOf(query)));
}

function homePage(lists: readonly string[]): string {
  const items = lists.map((name) => `<li><a href="/list/${name}">List: ${name}</a></li>`);
  return courtPage(
    'Home',
    `<h1>Curlew County Court</h1>
<ul>
${items.join('\n')}
<li><a href="/recent">Recent cases</a></li>
<li><a href="/search">Search</a></li>
</ul>`,
  );
}

function optionalHtml(body: string | undefined): Reply | undefined {
  return body === undefined ? undefined : htmlReply(200, body);
}

function idOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function idAfter(prefix: string, text: string): number | undefined {
  return text.startsWith(prefix) ? idOf(text.slice(prefix.length)) : undefined;
}

function pageOf(query: URLSearchParams): number {
  return Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1);
}
