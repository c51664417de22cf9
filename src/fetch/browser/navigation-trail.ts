// The documents of a page's main frame: which were asked for, by redirect, link or script, and which one is shown.

import type { Page, Request, Response } from 'playwright-core';
import { BrowserError } from './browser-result.ts';

export interface TrailStep {
  /** Without its fragment. */
  readonly url: string;
  readonly request: Request;
  /** `open`: under way. `left`: it redirected. `shown`: it is, or was, the page's document. */
  state: 'open' | 'left' | 'shown' | 'failed';
  /** Whether its `load` event has been. */
  loaded: boolean;
  /** Chromium's reason, when it failed. */
  failure: string | undefined;
  response: Response | undefined;
}

const LEFT_BEFORE_COMPLETE = 'net::ERR_ABORTED';

/** More documents than this in one load are a circle. Chromium follows 20 redirects. */
const MOST_DOCUMENTS = 21;

export class NavigationTrail {
  readonly steps: TrailStep[] = [];
  /** Rejects when the page cannot come to rest: it goes in a circle, or what it shows broke off. */
  readonly trouble: Promise<never>;
  readonly #page: Page;
  readonly #fail: (error: BrowserError) => void;
  #onSettled: (() => void) | undefined;

  constructor(page: Page) {
    this.#page = page;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.trouble = promise;
    this.#fail = reject;
    page.on('request', (request) => this.#onRequest(request));
    page.on('response', (response) => {
      const step = this.#find(response.request());
      if (step !== undefined) step.response = response;
    });
    page.on('load', () => {
      const { shown } = this;
      if (shown !== undefined) shown.loaded = true;
    });
    page.on('requestfailed', (request) => this.#onFailed(request));
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#onShown(withoutFragment(frame.url()));
    });
  }

  /** The document asked for last. */
  get last(): TrailStep | undefined {
    return this.steps.at(-1);
  }

  /** The document that is shown. */
  get shown(): TrailStep | undefined {
    return this.steps.findLast(({ state }) => state === 'shown');
  }

  get isSettled(): boolean {
    return this.last !== undefined && this.last.state !== 'open' && this.last.state !== 'left';
  }

  /** Resolves when no navigation is under way and there has been one. One caller at a time. */
  async settled(): Promise<void> {
    while (!this.isSettled) {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    }
  }

  #onRequest(request: Request): void {
    // Chromium hands other schemes (`mailto:`) to other programs, or to nobody.
    if (!this.#isMain(request) || !/^https?:/.test(request.url())) return;
    const from = request.redirectedFrom();
    const previous = from === null ? undefined : this.#find(from);
    if (previous !== undefined) previous.state = 'left';
    const url = withoutFragment(request.url());
    this.steps.push({ url, request, state: 'open', loaded: false, failure: undefined, response: undefined });
    if (this.steps.length > MOST_DOCUMENTS) {
      this.#fail(
        new BrowserError('bad_redirect', `the page led to more than ${MOST_DOCUMENTS} others, at last to ${url}`),
      );
    }
  }

  #onFailed(request: Request): void {
    const step = this.#find(request);
    if (step === undefined) return;
    const failure = request.failure()?.errorText ?? 'failed';
    if (step.state === 'open') {
      step.state = 'failed';
      step.failure = failure;
      this.#onSettled?.();
    } else if (failure !== LEFT_BEFORE_COMPLETE) {
      // Chromium never fires `load` for a document whose body broke off.
      this.#fail(new BrowserError('navigation_failed', `${step.url} broke off: ${failure}`));
    }
  }

  #onShown(url: string): void {
    // A change of the address by script (`pushState`) matches no step that is open.
    const step = this.steps.findLast((candidate) => candidate.state === 'open' && candidate.url === url);
    if (step === undefined) return;
    step.state = 'shown';
    this.#onSettled?.();
  }

  #find(request: Request): TrailStep | undefined {
    return this.steps.findLast((step) => step.request === request);
  }

  #isMain(request: Request): boolean {
    if (!request.isNavigationRequest()) return false;
    try {
      return request.frame() === this.#page.mainFrame();
    } catch {
      // A frame that does not exist yet is not the main one.
      return false;
    }
  }
}

export function withoutFragment(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = '';
  return parsed.href;
}
