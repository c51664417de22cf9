// Public registers on two loopback ports: the site, with two registers as lists and one as a CSV file, and the server of the
// documents, which are asked for with a token of the front page and come from a signed address that is good for a minute.

import { systemClock } from '../../src/platform/clock.ts';
import { Gate } from '../gate.ts';
import { rangeReply } from '../range-reply.ts';
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
import { SignedUrls } from '../signed-urls.ts';
import { type Site, type SiteOptions, startSite } from '../site.ts';
import {
  documentBytes,
  type Edition,
  LISTED,
  ORDERS,
  type Register,
  type RegisterOptions,
  registerOf,
} from './register-entries.ts';
import { entryPage, frontPage, listPage, ordersCsv } from './register-pages.ts';

const MINUTE_MS = 60_000;
const TICKET_PATH = '/documents/ticket';
/** As frameworks answer to a token that is over. */
const PAGE_EXPIRED = 419;

export interface PublicRegistersOptions extends RegisterOptions, SiteOptions {}

export interface RunningPublicRegisters extends Site {
  /** The server of the documents. */
  readonly documents: Site;
  /** The entries that are shown now, by register. */
  register(id: string): Register;
  /** Shows another edition from now on. */
  travelTo(edition: Edition): void;
  /** Makes all tokens given so far worthless. */
  expireTokens(): void;
  /** Moves the site's time forward: signed addresses and tokens age. */
  advance(ms: number): void;
}

/** Starts both. Whoever starts them closes them. */
export async function startPublicRegisters(options: PublicRegistersOptions = {}): Promise<RunningPublicRegisters> {
  const { seed = 1, clock = systemClock } = options;
  let edition: Edition = 'v1';
  let advancedMs = 0;
  const now = () => clock.now() + advancedMs;
  const gate = new Gate({ seed, now, tickMs: () => 12 * 60 * MINUTE_MS, cookie: 'register-session' });
  const urls = new SignedUrls({ seed, now });
  const register = (id: string) => registerOf(id, edition, options);
  const documents = await startSite(documentHandler(urls), { ...options, port: 0 });
  const handler: Handler = (request) => {
    if (request.pathname === TICKET_PATH) return ticketReply(request, gate, urls, documents.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') return statusReply(405, { allow: 'GET, HEAD' });
    return pageReply(request, gate, register) ?? statusReply(404);
  };
  const site = await startSite(handler, options);
  return {
    ...{ url: site.url, controlUrl: site.controlUrl, log: site.log, faults: site.faults },
    documents,
    register,
    travelTo: (to) => {
      edition = to;
    },
    expireTokens: () => gate.rotateNonce(),
    advance: (ms) => {
      advancedMs += ms;
    },
    stats: () => site.stats(),
    setLatency: (latencyMs) => site.setLatency(latencyMs),
    close: async () => {
      await site.close();
      await documents.close();
    },
  };
}

function pageReply(request: SimRequest, gate: Gate, register: (id: string) => Register): Reply | undefined {
  const { pathname, search } = request;
  if (pathname === '/robots.txt') return textReply(200, 'User-agent: *\nDisallow: /admin/\n');
  if (pathname === '/registers/')
    return htmlReply(200, frontPage(LISTED.map(register), gate.nonce), gate.welcome(request));
  if (pathname === '/registers/orders.csv') {
    const file = {
      status: 200,
      headers: { 'content-type': 'text/csv; charset=utf-8' },
      body: ordersCsv(register(ORDERS)),
    };
    return conditionalReply(request, file, Date.UTC(2026, 0, register(ORDERS).entries.length % 28));
  }
  const [, id = '', number] = /^\/registers\/(\w+)(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  if (!LISTED.some((one) => one === id)) return undefined;
  const found = register(id);
  if (number === undefined)
    return htmlReply(200, listPage(found, Number(new URLSearchParams(search).get('page') ?? 1)));
  const entry = found.entries.find((one) => one.number === number);
  return entry && htmlReply(200, entryPage(found, entry));
}

/** The address of a document, for whoever has the token and the cookie of the front page. */
function ticketReply(request: SimRequest, gate: Gate, urls: SignedUrls, documentsUrl: string): Reply {
  if (request.method !== 'POST') return statusReply(405, { allow: 'POST' });
  const form = new URLSearchParams(request.body);
  if (!gate.knows(request) || !gate.isGoodNonce(form.get('csrf') ?? '')) return statusReply(PAGE_EXPIRED);
  const document = form.get('document');
  if (document === null || document === '') return jsonReply(422, { error: 'document is required' });
  return jsonReply(200, { document, href: documentsUrl + urls.issue(document, MINUTE_MS), expires_in: 60 });
}

function documentHandler(urls: SignedUrls): Handler {
  return (request) => {
    const signed = urls.read(request.pathname);
    if (signed === undefined) return statusReply(404);
    if (signed.isExpired) return statusReply(403);
    const headers = { 'content-type': 'application/pdf' };
    return rangeReply(request, { status: 200, headers, body: documentBytes(signed.token) });
  };
}
