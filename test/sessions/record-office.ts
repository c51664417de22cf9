// A small site as many courts have it: a page with a nonce, a call that wants the nonce and a cookie and gives an address, and a
// server of files on which that address is good for a while. It counts what it is asked for.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pdfWithText } from '../../sim/pdf.ts';
import { closing } from '../fixtures/closing.ts';
import { listening } from '../fixtures/listening.ts';
import { textOf } from './text-of.ts';

export interface OfficeOptions {
  /** How many records there are. */
  readonly records?: number;
}

export class RecordOffice {
  url = '';
  filesUrl = '';
  readonly records: number;
  /** Every nonce, cookie, ticket and address that was ever given: none of it may be found anywhere. */
  readonly secrets = new Set<string>();
  /** What was asked for, in order. */
  readonly asked: string[] = [];
  /** The nonce that is good now. */
  nonce = '';
  /** What the site does in place of its usual: by path of the request, once for each time it is put here. */
  readonly odd = new Map<string, ((response: ServerResponse, request: IncomingMessage) => void)[]>();
  /** Called for each request before it is answered. */
  onRequest: (path: string) => void | Promise<void> = () => {};
  /** Whether the desk's page comes out of a cache, unless it is asked for with a query. */
  cached: string | undefined;
  /** Other nonces on the page, before the right one. */
  decoys: readonly string[] = [];
  /** How many were told that their session is over. */
  refused = 0;
  readonly #addresses = new Map<string, { readonly record: string; isGood: boolean }>();
  #count = 0;
  #cookies = new Set<string>();

  constructor({ records = 5 }: OfficeOptions = {}) {
    this.records = records;
    this.rotate();
  }

  /** Makes the nonce and all cookies worthless. */
  rotate(): void {
    this.nonce = this.#secret('nonce').slice(0, 16);
    this.secrets.add(this.nonce);
    this.#cookies = new Set();
  }

  /** Once, or as often as it is called. */
  oddly(path: string, reply: (response: ServerResponse, request: IncomingMessage) => void): void {
    this.odd.set(path, [...(this.odd.get(path) ?? []), reply]);
  }

  countOf(path: string | RegExp): number {
    return this.asked.filter((one) => (typeof path === 'string' ? one === path : path.test(one))).length;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', this.url);
    const body = new URLSearchParams(await textOf(request));
    this.asked.push(pathname + (pathname === '/desk' ? search : ''));
    await this.onRequest(pathname);
    const [odd, ...rest] = this.odd.get(pathname) ?? [];
    if (odd !== undefined) {
      this.odd.set(pathname, rest);
      odd(response, request);
      return;
    }
    if (pathname === '/robots.txt') response.writeHead(404).end();
    else if (pathname === '/desk') this.#desk(response, search);
    else if (!this.#isKnown(request, body.get('security') ?? searchParams.get('key') ?? request.headers['x-nonce'])) {
      this.refused++;
      response.writeHead(403, { 'content-type': 'text/html' }).end('-1');
    } else if (pathname === '/list') {
      const ids = Array.from({ length: this.records }, (_, index) => index + 1);
      const links = ids.map((id) => `<li data-id="${id}">Record ${id}</li>`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<ul>${links.join('')}</ul>`);
    } else if (pathname === '/ticket') this.#ticket(response, body.get('file') ?? '', body.get('fid') ?? '');
    else if (pathname.startsWith('/page/')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Page ${pathname.slice(6)}</h1>`);
    } else response.writeHead(404).end();
  }

  answerFile(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.filesUrl);
    if (pathname === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    this.asked.push('/file');
    const [odd, ...rest] = this.odd.get('/file') ?? [];
    if (odd !== undefined) {
      this.odd.set('/file', rest);
      odd(response, request);
      return;
    }
    const address = this.#addresses.get(pathname);
    if (address === undefined || !address.isGood) {
      response.writeHead(403, { 'content-type': 'application/xml' }).end(`<Error><Path>${request.url}</Path></Error>`);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(recordFile(address.record));
  }

  /** All addresses given so far are over. */
  expireAddresses(): void {
    for (const address of this.#addresses.values()) address.isGood = false;
  }

  #desk(response: ServerResponse, search: string): void {
    const cookie = this.#secret('cookie');
    this.#cookies.add(cookie);
    const nonce = search === '' && this.cached !== undefined ? this.cached : this.nonce;
    const nonces = [...this.decoys, nonce].map((one) => `<i data-nonce="${one}"></i>`).join('');
    const fids = Array.from(
      { length: this.records },
      (_, index) => `<b data-id="${index + 1}" data-fid="f${index + 1}"></b>`,
    );
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': `desk=${cookie}; Path=/`, 'x-nonce': nonce })
      .end(`<div id="desk">${nonces}${fids.join('')}</div>`);
  }

  #ticket(response: ServerResponse, record: string, fid: string): void {
    if (fid !== `f${record}`) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":false}');
      return;
    }
    const path = `/s/${this.#secret('path')}/${this.#secret('name')}`;
    const query = `?Signature=${this.#secret('query')}`;
    this.#addresses.set(path, { record, isGood: true });
    const url = (this.filesUrl + path + query).replaceAll('/', '\\/');
    response
      .writeHead(200, { 'content-type': 'application/json', 'set-cookie': `ticket=${this.#secret('ticket')}` })
      .end(`{"success":true,"url":"${url}"}`);
  }

  #isKnown(request: IncomingMessage, nonce: unknown): boolean {
    const cookie = /desk=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    return nonce === this.nonce && cookie !== undefined && this.#cookies.has(cookie);
  }

  #secret(purpose: string): string {
    const secret = createHash('sha256')
      .update(`${purpose} ${++this.#count}`)
      .digest('hex')
      .slice(0, 24);
    this.secrets.add(secret.slice(0, 16));
    return secret;
  }
}

export function recordFile(record: string): Buffer {
  return pdfWithText(`Record ${record}`);
}

/** Starts both origins; they are closed after the test. */
export async function recordOffice(options?: OfficeOptions): Promise<RecordOffice> {
  const office = new RecordOffice(options);
  const site = closing(await listening(createServer((request, response) => void office.answer(request, response))));
  const files = closing(await listening(createServer((request, response) => office.answerFile(request, response))));
  office.url = `http://127.0.0.1:${site.port}`;
  office.filesUrl = `http://127.0.0.1:${files.port}`;
  return office;
}
