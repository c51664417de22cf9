// What the browser tests share: one Chromium per file, sites on loopback, and an `admit` that remembers what it was asked.

import { afterAll, afterEach } from 'vitest';
import type { Handler, Reply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import type { Admit, RequestEnd } from '../../src/fetch/browser/admit.ts';
import { BrowserFetch, type BrowserFetchOptions } from '../../src/fetch/browser/browser-fetch.ts';
import type { BrowserAnswer, BrowserRequest, BrowserResult } from '../../src/fetch/browser/browser-result.ts';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';

const executablePath = await chromiumOrSkip();

const closers: (() => Promise<unknown>)[] = [];
let shared: Promise<BrowserFetch> | undefined;
let hasty: Promise<BrowserFetch> | undefined;

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(async () => {
  await (await shared)?.close();
  await (await hasty)?.close();
});

/** Closed after the test. */
export function closing<T extends { close(): Promise<unknown> }>(thing: T): T {
  closers.push(() => thing.close());
  return thing;
}

/** A browser of the test's own. 127.0.0.1 is allowed on every port unless `allow` says otherwise. */
export async function openBrowser(options: BrowserFetchOptions = {}): Promise<BrowserFetch> {
  return closing(await BrowserFetch.open({ allow: [parseHostPattern('127.0.0.1')], executablePath, ...options }));
}

const SHARED: BrowserFetchOptions = { allow: [parseHostPattern('127.0.0.1')], executablePath };

/** One for the whole file. */
export function sharedBrowser(): Promise<BrowserFetch> {
  shared ??= BrowserFetch.open(SHARED);
  return shared;
}

/** Another, which waits for an element no longer than a second: for those that never come. */
export function hastyBrowser(): Promise<BrowserFetch> {
  hasty ??= BrowserFetch.open({ ...SHARED, timeouts: { waitMs: 1_000 } });
  return hasty;
}

/** A site whose pages are given by path; a string is HTML, what is not listed is 404. */
export async function startPages(pages: Readonly<Record<string, string | Reply | Handler>>): Promise<Site> {
  const handler: Handler = (request) => {
    const page = pages[request.pathname];
    if (typeof page === 'function') return page(request);
    if (typeof page === 'object') return page;
    return reply(page === undefined ? 404 : 200, page ?? 'not here');
  };
  return closing(await startSite(handler));
}

export function reply(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export interface Asked {
  readonly kind: string;
  readonly url: string;
  end: RequestEnd | undefined;
}

/** Lets everything through but what `refuses`, and remembers it. */
export function recordingAdmit(refuses: (url: URL) => boolean = () => false): { admit: Admit; asked: Asked[] } {
  const asked: Asked[] = [];
  const admit: Admit = async ({ url, kind }) => {
    const entry: Asked = { kind, url: url.href, end: undefined };
    asked.push(entry);
    if (refuses(url)) return { kind: 'refused', reason: 'robots.txt says no' };
    return {
      kind: 'admitted',
      leave: () => systemClock.now(),
      giveBack() {
        asked.splice(asked.indexOf(entry), 1);
      },
      learn(end) {
        if (entry.end !== undefined) throw new Error(`told twice about ${url.href}`);
        entry.end = end;
      },
    };
  };
  return { admit, asked };
}

export function load(
  browser: BrowserFetch,
  url: string,
  rest: Partial<BrowserRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<BrowserResult> {
  const defaults = { headers: [], cookies: [], session: 'default', admit: recordingAdmit().admit };
  return browser.load({ url: new URL(url), ...defaults, ...rest }, signal);
}

export function answer(result: BrowserResult): BrowserAnswer {
  if (result.kind !== 'answer') throw new Error(`no answer: ${JSON.stringify(result)}`);
  return result;
}

/** The body held in memory, as text. */
export function text(result: BrowserResult): string {
  const { body } = answer(result);
  if (body.kind !== 'memory') throw new Error('not in memory');
  return Buffer.from(body.decoded).toString('utf8');
}

/** The failure's code, or the kind of anything else. */
export function codeOf(result: BrowserResult): string {
  return result.kind === 'failure' ? result.code : result.kind;
}
