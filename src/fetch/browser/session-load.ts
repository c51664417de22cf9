// One load in one place of its session, from the cookies it begins with to those it leaves. Whatever the site or Chromium
// does on the way becomes a result; only what is our own doing is thrown.

import type { Page } from 'playwright-core';
import type { Clock } from '../../platform/clock.ts';
import { HopError } from '../http/failure-code.ts';
import type { HopBody } from '../http/hop-result.ts';
import type { Admitted } from './admit.ts';
import { type BrowserCookie, cookieChanges, readCookies, setCookies } from './browser-cookie.ts';
import { BrowserError, type BrowserRequest, type BrowserResult, type LoadReport } from './browser-result.ts';
import type { Dozing } from './gate-waits.ts';
import { answerOf, hopsBefore } from './load-result.ts';
import { LoadAborted, LoadWatch } from './load-watch.ts';
import { type LoadEnd, type LoadedDocument, PageLoad } from './page-load.ts';
import { LoadRecalled, PageTraffic, type TrackedRequest } from './page-traffic.ts';
import { PageWorld } from './page-world.ts';
import { doneWithin, type SessionContext } from './session-contexts.ts';

export interface SessionLoadOptions {
  readonly maxPageBytes: number;
  readonly maxSnapshotBytes: number;
  readonly maxDownloadBytes: number;
  readonly waitMs: number;
  readonly totalMs: number;
  readonly clock: Clock;
}

/** What a load begins with: the permission for its document, and a place. */
export interface LetIn {
  readonly first: Admitted;
  readonly place: Dozing;
}

const CLOSE_MS = 5_000;
const NOTHING = new Uint8Array(0);

export class SessionLoad {
  readonly #place: SessionContext;
  readonly #request: BrowserRequest;
  readonly #options: SessionLoadOptions;
  readonly #traffic: PageTraffic;
  readonly #watch: LoadWatch;
  #load: PageLoad | undefined;

  /** Begins at once: from here on the place's requests are those of this load. */
  constructor(
    place: SessionContext,
    request: BrowserRequest,
    { first, place: dozing }: LetIn,
    signal: AbortSignal,
    options: SessionLoadOptions,
  ) {
    const { clock, totalMs, maxPageBytes, maxDownloadBytes } = options;
    const { url, headers, ownCookies, admit, sink, maxRedirects } = request;
    const downloads = sink !== undefined;
    const maxBytes = downloads ? maxDownloadBytes : maxPageBytes;
    this.#place = place;
    this.#request = request;
    this.#options = options;
    this.#traffic = new PageTraffic({ url, headers, ownCookies, admit, first, dozing, clock, maxBytes, maxRedirects });
    this.#watch = new LoadWatch({ browser: place.browser, traffic: this.#traffic, signal, clock, totalMs, downloads });
    place.door.traffic = this.#traffic;
  }

  async run(): Promise<BrowserResult> {
    const startedAt = this.#options.clock.monotonic();
    try {
      const end = await this.#loadPage();
      if (end.kind === 'refused') return { ...end, ...(await this.#report(undefined)) };
      const body = await this.#take(end);
      const durationMs = this.#options.clock.monotonic() - startedAt;
      return answerOf(end, body, durationMs, await this.#report(end.visit));
    } catch (error) {
      if (error instanceof LoadAborted) return { kind: 'aborted' };
      if (error instanceof LoadRecalled) return { kind: 'aborted', recalled: true };
      if (!(error instanceof BrowserError || error instanceof HopError)) throw error;
      const last = this.#load?.visits().at(-1);
      // A redirect that is not followed was answered like any other.
      const report = await this.#report(error.code === 'bad_redirect' ? undefined : last);
      const document = last && { url: last.url.href, at: last.at };
      return { kind: 'failure', code: error.code, reason: error.message, document, head: last?.answer, ...report };
    }
  }

  /** Ends the load and closes its tabs. False when the place is of no more use. */
  async clear(): Promise<boolean> {
    const { context, door, browser } = this.#place;
    this.#watch.stop();
    this.#traffic.end();
    door.traffic = undefined;
    if (!browser.isConnected()) return false;
    const closed = await Promise.all(context.pages().map((page) => doneWithin(CLOSE_MS, page.close())));
    return closed.every(Boolean);
  }

  async #loadPage(): Promise<LoadEnd> {
    const { context } = this.#place;
    const { waitMs, maxSnapshotBytes } = this.#options;
    await this.#watch.chromium(setCookies(context, this.#request.cookies));
    const page: Page = await this.#watch.chromium(context.newPage());
    this.#watch.observe(page);
    const world = await this.#watch.chromium(PageWorld.open(page));
    this.#load = new PageLoad({
      page,
      world,
      request: this.#request,
      traffic: this.#traffic,
      watch: this.#watch,
      waitMs,
      maxSnapshotBytes,
    });
    return this.#load.run();
  }

  /** Puts the body where it belongs: a 2xx answer into the sink, if there is one. */
  async #take(document: LoadedDocument): Promise<HopBody> {
    const { status } = document.answer;
    const isWanted = status >= 200 && status <= 299 && document.unmatched === undefined;
    const sink = isWanted ? this.#request.sink : undefined;
    if (sink === undefined) {
      const bytes = document.kind === 'download' ? NOTHING : bytesOf(document);
      return { kind: 'memory', encoded: bytes, decoded: bytes };
    }
    let size = 0;
    for await (const chunk of document.kind === 'download' ? this.#saved(document) : [bytesOf(document)]) {
      await this.#watch.until(sink.write(chunk));
      size += chunk.length;
    }
    return { kind: 'streamed', encodedBytes: size, decodedBytes: size };
  }

  /** The bytes of a download, once Chromium has all of it. */
  async *#saved({ download, visit }: Extract<LoadedDocument, { kind: 'download' }>): AsyncIterable<Uint8Array> {
    const failure = await this.#watch.chromium(download.failure());
    // Chromium has all that was announced; whether that is all that was sent, the guard proxy knows.
    if (failure === null) await this.#watch.until(visit.over);
    if (visit.end.kind === 'failure') throw new HopError(visit.end.code, visit.end.reason);
    if (failure !== null) {
      throw new BrowserError('download_failed', `Chromium could not save ${download.url()}: ${failure}`);
    }
    const stream = await this.#watch.chromium(download.createReadStream());
    const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#watch.chromium(chunks.next());
      if (next.done === true) break;
      yield next.value;
    }
    await this.#watch.chromium(download.delete());
  }

  async #report(last: TrackedRequest | undefined): Promise<LoadReport> {
    const hops = hopsBefore(last, this.#load?.visits() ?? []);
    return { hops, traffic: this.#traffic.report(), cookieChanges: await this.#changedCookies() };
  }

  async #changedCookies(): Promise<readonly BrowserCookie[]> {
    const { browser, context } = this.#place;
    if (!browser.isConnected()) return [];
    let now: readonly BrowserCookie[] | undefined;
    const reading = readCookies(context).then((cookies) => {
      now = cookies;
    });
    await doneWithin(CLOSE_MS, reading);
    return now === undefined ? [] : cookieChanges(this.#request.cookies, now);
  }
}

function bytesOf(document: Extract<LoadedDocument, { kind: 'html' | 'bytes' }>): Uint8Array {
  return document.kind === 'html' ? Buffer.from(document.html) : document.bytes;
}
