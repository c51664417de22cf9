// One page load in one tab: navigate, wait for `load` and for the element asked for, then take what is shown. A script or
// a refresh that sends the page on is followed until it rests; the document asked for last decides what comes of the load.

import type { Download, Page } from 'playwright-core';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { HopError } from '../http/failure-code.ts';
import { isRedirect } from '../http/redirect.ts';
import { BrowserError, type BrowserRequest } from './browser-result.ts';
import {
  COMPLETE_SCRIPT,
  isHtml,
  type Match,
  matchScript,
  NEXT_TURN_SCRIPT,
  type RawSnapshot,
  snapshotScript,
} from './dom-snapshot.ts';
import type { LoadWatch } from './load-watch.ts';
import { NavigationTrail, type TrailStep, withoutFragment } from './navigation-trail.ts';
import type { PageTraffic, TrackedRequest, VisitAnswer } from './page-traffic.ts';
import type { PageWorld } from './page-world.ts';

interface Loaded {
  /** The exchange it came with, as the guard proxy saw it. */
  readonly visit: TrackedRequest;
  readonly answer: VisitAnswer;
  readonly url: string;
  /** Set when no element matched `waitFor` in time. */
  readonly unmatched?: Unmatched;
}

/** A page that is there, and not as it was wanted. */
interface Unmatched {
  readonly selector: string;
  readonly reason: string;
}

/** What a load ended with. */
export type LoadedDocument =
  | (Loaded & { readonly kind: 'html'; readonly html: string })
  /** What Chromium does not show as a page of the site: plain text, JSON, pictures, and answers without a body. */
  | (Loaded & { readonly kind: 'bytes'; readonly bytes: Uint8Array })
  /** `script`: the page made the file itself, and `visit` is the page. */
  | (Loaded & { readonly kind: 'download'; readonly download: Download; readonly madeBy: 'site' | 'script' });

export type LoadEnd = LoadedDocument | { readonly kind: 'refused'; readonly url: string; readonly reason: string };

export interface PageLoadOptions {
  readonly page: Page;
  readonly world: PageWorld;
  readonly request: BrowserRequest;
  readonly traffic: PageTraffic;
  readonly watch: LoadWatch;
  readonly waitMs: number;
  readonly maxSnapshotBytes: number;
}

const NOTHING = new Uint8Array(0);
const POLL_MS = 50;
const SOON_MS = 5_000;

export class PageLoad {
  readonly #options: PageLoadOptions;
  readonly #trail: NavigationTrail;
  readonly #downloading = Promise.withResolvers<Download>();
  #download: Download | undefined;

  constructor(options: PageLoadOptions) {
    this.#options = options;
    const { page, request } = options;
    this.#trail = new NavigationTrail(page);
    page.on('popup', (popup) => {
      popup.close().catch(() => {});
    });
    page.on('download', (download) => {
      if (request.sink === undefined && !this.#isDocument(download)) download.cancel().catch(() => {});
      else {
        this.#download ??= download;
        this.#downloading.resolve(download);
      }
    });
  }

  /** The documents asked for in the main frame, in order. */
  visits(): readonly TrackedRequest[] {
    return this.#trail.steps.map((step) => this.#visitOf(step)).filter((visit) => visit !== undefined);
  }

  /** Rejects with a `BrowserError` or `HopError` for what is the site's or Chromium's doing. */
  async run(): Promise<LoadEnd> {
    const { page, request, watch } = this.#options;
    const downloaded = this.#downloading.promise.then((download) => this.#downloadEnd(download));
    const address = new URL(request.url);
    address.username = '';
    address.password = '';
    // What goes wrong here is seen on the trail, with more to say.
    const gone = page.goto(address.href, { waitUntil: 'commit', timeout: 0 }).catch(() => {});
    try {
      return await watch.until(Promise.race([downloaded, gone.then(() => this.#rest()), this.#trail.trouble]));
    } catch (error) {
      // The guard proxy knows better than Chromium why a body broke off.
      const visit = this.visits().at(-1);
      if (error instanceof BrowserError && visit !== undefined) throwIfFailed(visit);
      throw error;
    }
  }

  /** Follows the page until it rests. */
  async #rest(): Promise<LoadEnd> {
    for (;;) {
      await this.#options.watch.until(this.#trail.settled());
      const end = (await this.#unshown()) ?? (await this.#shown());
      if (end !== undefined) return this.#download === undefined ? end : this.#downloadEnd(this.#download);
    }
  }

  /** What the page shows; undefined when it went on meanwhile. */
  async #shown(): Promise<LoadEnd | undefined> {
    const { page, request, watch, maxSnapshotBytes } = this.#options;
    const { shown: step, last } = this.#trail;
    const visit = step && this.#visitOf(step);
    const answer = visit?.answer;
    if (step === undefined || visit === undefined || answer === undefined) throw sentByNoSite(page.url());
    // Also to where it did not get: that decides, whatever Chromium shows meanwhile.
    const hasMoved = () => !this.#trail.isSettled || this.#trail.last !== last;
    // A page that is written anew after its `load` event, and never finished, has been complete.
    await this.#look<boolean>(COMPLETE_SCRIPT, (complete) => complete === true || step.loaded || hasMoved());
    // A refresh after 0 s begins one turn after the load.
    if (hasMoved() || (await this.#read<true>(NEXT_TURN_SCRIPT)) === undefined || hasMoved()) return undefined;
    // Chromium has all that was announced; whether that is all that was sent, the guard proxy knows.
    await watch.until(visit.over);
    throwIfFailed(visit);
    const isOk = answer.status >= 200 && answer.status <= 299;
    const unmatched =
      request.waitFor !== undefined && isOk ? await this.#waitFor(request.waitFor, hasMoved) : undefined;
    const missing = unmatched && { unmatched };
    if (hasMoved()) return undefined;
    const snapshot = await this.#read<RawSnapshot>(snapshotScript(maxSnapshotBytes));
    if (snapshot === undefined || hasMoved()) return undefined;
    if (!/^https?:/.test(snapshot.url)) throw sentByNoSite(snapshot.url);
    if (isHtml(snapshot.contentType)) {
      if (snapshot.html === null || Buffer.byteLength(snapshot.html) > maxSnapshotBytes) {
        throw new HopError('decoded_too_large', `the page as shown is larger than ${maxSnapshotBytes} bytes`);
      }
      return { kind: 'html', visit, answer, url: snapshot.url, html: snapshot.html, ...missing };
    }
    const bytes = await watch.chromium(this.#bodyOf(step));
    return { kind: 'bytes', visit, answer, url: snapshot.url, bytes, ...missing };
  }

  /** What comes of a document that was not shown; undefined when it was, or when the one before it stays. */
  async #unshown(): Promise<LoadEnd | undefined> {
    const step = this.#trail.last;
    if (step === undefined || step.state === 'shown') return undefined;
    const visit = this.#visitOf(step);
    const url = step.url;
    switch (visit?.end.kind) {
      case 'refused':
        return { kind: 'refused', url, reason: visit.end.reason };
      case 'failure':
      case 'misled':
        return throwIfFailed(visit);
      case 'pending':
        // A page may change its mind and stay.
        if (this.#trail.shown !== undefined) return undefined;
        break;
      case 'answer': {
        const answer = visit.end;
        const { status } = answer;
        if (isRedirect(status)) throw new BrowserError('bad_redirect', `redirect (${status}): ${step.failure}`);
        // RFC 9110 §15.3.5: 204 leaves the page where it was.
        const stays = status === 204 || status === 205;
        if (stays && this.#trail.shown !== undefined) return undefined;
        if (!stays && status <= 299) break;
        // Chromium shows a page of its own in place of an error without a body, and nothing for a 304.
        await this.#options.watch.until(visit.over);
        throwIfFailed(visit);
        return { kind: 'bytes', visit, answer, url, bytes: NOTHING };
      }
    }
    // A document that turns out to be a file is given up first, and announced as a download then.
    const download = await this.#options.watch.within(SOON_MS, this.#downloading.promise);
    if (download !== undefined) return this.#downloadEnd(download);
    throw new BrowserError('navigation_failed', `Chromium gave up on ${url}: ${step.failure}`);
  }

  /** Ends when the element is there, or when the page went on, or its time is over: then it gives what is missing. */
  async #waitFor(selector: string, hasMoved: () => boolean): Promise<Unmatched | undefined> {
    const { watch, waitMs } = this.#options;
    let waiting = true;
    const isOver = (match: Match | undefined) => match === 'found' || match === 'invalid' || hasMoved() || !waiting;
    const match = await watch.within(waitMs, this.#look(matchScript(selector), isOver)).finally(() => {
      waiting = false;
    });
    if (match === 'found' || hasMoved()) return undefined;
    if (match === 'invalid') {
      throw new CurlewError(ErrorCode.selectorSyntax, `"${selector}" is not a CSS selector that Chromium knows`, {
        remedy: 'Correct the waitFor of the request.',
      });
    }
    const reason = `no element matched "${selector}" within ${waitMs / 1000} s after the page had loaded`;
    return { selector, reason };
  }

  /** Reads something of the page again and again, until it is as wanted. */
  async #look<T>(script: string, isWanted: (value: T | undefined) => boolean): Promise<T | undefined> {
    for (;;) {
      const value = await this.#read<T>(script);
      if (isWanted(value)) return value;
      if (value !== undefined) await this.#options.watch.pause(POLL_MS);
    }
  }

  /** Reads something of the page; undefined when it went on meanwhile. */
  async #read<T>(script: string): Promise<T | undefined> {
    const { world, watch } = this.#options;
    const value = await watch.chromium(world.evaluate<T>(script));
    // Where it goes to is there in a moment.
    if (value === undefined) await watch.pause(POLL_MS);
    return value;
  }

  #downloadEnd(download: Download): LoadEnd {
    const asked = withoutFragment(download.url());
    if (this.#options.request.sink === undefined) {
      throw new BrowserError('unwanted_download', `${asked} is a file to be saved, not a page`);
    }
    const own = this.#options.traffic.visits.findLast(({ url }) => withoutFragment(url.href) === asked);
    const shown = this.#trail.shown;
    const visit = own ?? (shown && this.#visitOf(shown));
    if (visit?.answer === undefined) throw new BrowserError('download_failed', `no site sent ${asked}`);
    const madeBy = visit === own ? 'site' : 'script';
    return { kind: 'download', visit, answer: visit.answer, url: visit.url.href, download, madeBy };
  }

  async #bodyOf(step: TrailStep): Promise<Uint8Array> {
    const { maxSnapshotBytes } = this.#options;
    if (step.response === undefined) throw new BrowserError('navigation_failed', `${step.url} came without an answer`);
    const bytes = await step.response.body();
    if (bytes.length <= maxSnapshotBytes) return bytes;
    throw new HopError('decoded_too_large', `the body is longer than ${maxSnapshotBytes} bytes`);
  }

  #isDocument(download: Download): boolean {
    return this.#trail.last?.url === withoutFragment(download.url());
  }

  /** The exchange behind a step: the first of its URL, for the first step to that URL, and so on. */
  #visitOf(step: TrailStep): TrackedRequest | undefined {
    const { steps } = this.#trail;
    const before = steps.slice(0, steps.indexOf(step)).filter(({ url }) => url === step.url).length;
    return this.#options.traffic.visits.filter(({ url }) => withoutFragment(url.href) === step.url)[before];
  }
}

function sentByNoSite(url: string): BrowserError {
  return new BrowserError('navigation_failed', `the page went to ${url}, which no site sent`);
}

/** A head without its whole body is no answer, whatever Chromium made of it. */
function throwIfFailed({ end }: TrackedRequest): undefined {
  if (end.kind === 'failure') throw new HopError(end.code, end.reason);
  if (end.kind === 'misled') throw new BrowserError('bad_redirect', end.reason);
}
