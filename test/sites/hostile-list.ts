// A list of 120 items in 12 pages whose every page can be made to misbehave. Written by what sites do, not by what the
// walker expects.

import { createServer, type ServerResponse } from 'node:http';
import { listening } from '../fixtures/listening.ts';

export interface ListOnServer {
  /** Ids in the order of the list. A test may change it between two requests. */
  items: number[];
  perPage: number;
  /** List pages that were asked for, in order, robots.txt and items left out. */
  readonly asked: number[];
  readonly url: string;
  /** What a page answers instead; undefined: as usual. `nth` counts the requests for list pages, from 1. */
  answer: (page: number, nth: number) => Answer | undefined;
  close(): Promise<void>;
}

/** `cutOff`: without a length, and the connection ends after that share of it. */
export type Answer =
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'page'; readonly parts: Partial<PageParts>; readonly cutOff?: number };

/** The parts of a page, as HTML. */
export interface PageParts {
  readonly title: string;
  readonly head: string;
  readonly items: readonly number[];
  readonly next: string;
  readonly pager: string;
  readonly total: string;
}

export async function startHostileList(): Promise<ListOnServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (/^\/list(;.*|\/)?$/.test(pathname)) return sendPage(list, Number(searchParams.get('page') ?? 1), response);
    if (pathname === '/archive') return html(response, render({ ...usual(list, 1), items: [901, 902], next: '' }));
    if (pathname === '/login') return html(response, '<html><body><form><input name=user></form></body></html>');
    const [, id] = /^\/case\/(\d+)$/.exec(pathname) ?? [];
    if (id === undefined) return void response.writeHead(404).end();
    html(response, `<html><h1>Case ${id}</h1></html>`);
  });
  const { port, close } = await listening(server);
  const list: ListOnServer = {
    items: Array.from({ length: 120 }, (_, index) => index + 1),
    perPage: 10,
    asked: [],
    url: `http://127.0.0.1:${port}`,
    answer: () => undefined,
    close,
  };
  return list;
}

function sendPage(list: ListOnServer, page: number, response: ServerResponse): void {
  list.asked.push(page);
  const answer = list.answer(page, list.asked.length) ?? { kind: 'page', parts: {} };
  if (answer.kind === 'status') return void response.writeHead(answer.status).end();
  if (answer.kind === 'redirect') return void response.writeHead(302, { location: answer.to }).end();
  const text = render({ ...usual(list, page), ...answer.parts });
  if (answer.cutOff === undefined) return void html(response, text);
  // Neither a length nor chunks: the end of the connection is the end of the page.
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
  response.end(text.slice(0, Math.floor(text.length * answer.cutOff)));
}

function usual({ items, perPage }: ListOnServer, page: number): PageParts {
  const last = Math.max(1, Math.ceil(items.length / perPage));
  return {
    title: `Cases, page ${page}`,
    head: '',
    items: items.slice((page - 1) * perPage, page * perPage),
    next: page < last ? `<a class="next" href="?page=${page + 1}">Next</a>` : '',
    pager: '',
    total: '',
  };
}

function render({ title, head, items, next, pager, total }: PageParts): string {
  const rows = items.map((id) => `<tr><td><a class="case" href="/case/${id}">Case ${id}</a></td></tr>`);
  return `<!doctype html><html><head><title>${title}</title>${head}</head><body>${total}
    <table>${rows.join('')}</table>${next}${pager}<footer>Registry</footer></body></html>`;
}

function html(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': Buffer.byteLength(text) }).end(text);
}
