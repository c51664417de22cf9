// Pages for tests: a Page from a string, without an engine.

import { Page, type PageSource } from './page.ts';

/** A page at https://court.example/list/ with this body; all else can be given. */
export function samplePage(body: string | Uint8Array, source: Partial<Omit<PageSource, 'body'>> = {}): Page {
  return new Page({
    url: 'https://court.example/list/',
    requestUrl: 'https://court.example/list',
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: typeof body === 'string' ? Buffer.from(body) : body,
    ...source,
  });
}

/** The same, served as XML. */
export function sampleXml(body: string): Page {
  return samplePage(body, { headers: [['content-type', 'application/xml']] });
}
