// Walks the start pages of a site, list page by list page. A page is saved before the next one is asked for, so a crash
// costs one page. A start page that does not get on is left with its reason, and the others are walked all the same.

import { hash } from 'node:crypto';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { FetchedExchange, Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import { storeUnsaved } from '../fetch/stored-memory.ts';
import type { UnsavedMemory } from '../ledger/run-writer.ts';
import type { StoredListPage } from '../ledger/sites/collected-url-table.ts';
import type { StartPage, StartPageProgress } from '../ledger/sites/partial-run-table.ts';
import type { WalkWriter } from '../ledger/sites/walk-writer.ts';
import { redactSecrets } from '../observe/redact.ts';
import type { Clock } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import {
  countWith,
  decidePage,
  type ListCounts,
  type PageDecision,
  pagesToRecheck,
  type WalkRules,
} from './decide-page.ts';
import type { SiteDefinition } from './define-site.ts';
import { findFurtherPages, tellingText } from './page-address.ts';
import { hasHtmlEnd, type ListPage, readListPage } from './read-list-page.ts';

export interface SiteWalkerOptions {
  readonly site: SiteDefinition;
  readonly definition: ScraperDefinition;
  readonly writer: WalkWriter;
  readonly pipeline: Pick<FetchPipeline, 'fetch' | 'takeUnsaved'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a page was saved, or a start page was given up, with where it stands. */
  readonly onProgress: (startPage: StartPage) => void;
}

/** How often a list is walked again from a page that has changed, before it is given up. */
const MOST_DIFFERENCES = 3;

const CUT_OFF = 'the page was cut off: it has no </html>, as other list pages of the site have';

/** What became of the next step of a walk: it stands at `at`, or does not get on for this reason. */
type Turn =
  | { readonly kind: 'on'; readonly at: StartPage }
  | { readonly kind: 'stopped' | 'not_believed'; readonly reason: string };

/** A page that was got, or why there is none. */
type Got = { readonly kind: 'page'; readonly page: Page } | { readonly kind: 'none'; readonly reason: string };

export class SiteWalker {
  readonly #options: SiteWalkerOptions;

  constructor(options: SiteWalkerOptions) {
    this.#options = options;
  }

  /** Walks what is not yet walked to its end. Rejects with the reason of an aborted signal. */
  async walk(patience: Patience): Promise<void> {
    const { writer } = this.#options;
    for (const startPage of await writer.startPages()) {
      if (startPage.completed && startPage.urls > 0) continue;
      await this.#walkOne(await this.#beginning(startPage), patience);
    }
  }

  /** Where to begin: at the page that is due, or anew when the last walk came to nothing. */
  async #beginning(startPage: StartPage): Promise<StartPage> {
    const isDue = startPage.nextUrl !== undefined || startPage.ended !== undefined;
    return !startPage.completed && isDue ? startPage : this.#startOver(startPage);
  }

  async #startOver(startPage: StartPage): Promise<StartPage> {
    await this.#options.writer.startOver(startPage);
    return this.#stored(startPage);
  }

  async #stored(startPage: StartPage): Promise<StartPage> {
    return (await this.#options.writer.startPages()).find(({ id }) => id === startPage.id) ?? startPage;
  }

  async #walkOne(startPage: StartPage, patience: Patience): Promise<void> {
    // A page that was not believed is asked for once more where the walk stands; then the list is walked anew.
    let startsOver = startPage.reason !== undefined;
    for (let at = startPage; ; ) {
      const turn = await this.#turn(at, patience);
      if (turn.kind === 'not_believed' && startsOver) {
        startsOver = false;
        at = await this.#startOver(at);
        continue;
      }
      if (turn.kind !== 'on') return this.#giveUp(at, turn.reason);
      at = turn.at;
      this.#options.onProgress(at);
      if (at.nextUrl === undefined && at.ended === undefined) return;
    }
  }

  /** The next page of a list, or one of its pages a second time. */
  async #turn(at: StartPage, patience: Patience): Promise<Turn> {
    const { writer } = this.#options;
    const again = at.ended === undefined ? undefined : await writer.page(at, at.rechecked + 1);
    const url = again?.url ?? at.nextUrl ?? at.url;
    const number = again === undefined ? at.pages + 1 : at.rechecked + 1;
    const stopped = (reason: string) => ({ kind: 'stopped', reason: `page ${number}, ${url}: ${reason}` }) as const;
    const got = await this.#get(at, url, patience);
    crashPoint('after-fetch');
    if (got.kind === 'none') return stopped(got.reason);
    let list: ListPage;
    try {
      list = readListPage(got.page, this.#options.site, this.#options.definition);
    } catch (error) {
      return stopped(messageOf(error));
    }
    if (again === undefined) return this.#save(at, url, got.page, list);
    return { kind: 'on', at: await this.#compare(at, number, again, list) };
  }

  async #giveUp(at: StartPage, why: string): Promise<void> {
    const reason = redactSecrets(why);
    await this.#options.writer.giveUp(at, reason);
    this.#options.onProgress({ ...at, reason });
  }

  async #save(at: StartPage, url: string, page: Page, list: ListPage): Promise<Turn> {
    const { writer } = this.#options;
    const rules = this.#rules;
    const fingerprint = fingerprintOf(list);
    const { next, url: landedUrl, items, otherLinks } = list;
    const previous = await writer.page(at, at.pages);
    const place = { url, previousUrl: previous?.url, nextText: previous?.nextText };
    const known = await writer.recognise(at, {
      url,
      landedUrl,
      fingerprint,
      items,
      nextUrl: next.kind === 'page' ? next.url : undefined,
      furtherPages: findFurtherPages(otherLinks, place),
    });
    const decision = decidePage(at, url, list, known, rules);
    if (decision.kind === 'not_believed') return decision;
    const isPart = decision.kind !== 'ended' || decision.counts;
    const counts = isPart ? countWith(at, list, known) : at;
    const hasHtmlEndNow = hasHtmlEnd(page);
    const toRecheck = pagesToRecheck(counts, hasHtmlEndNow || hasKnownLength(page), rules);
    const progress = progressAfter(at, counts, decision, toRecheck);
    const nextText = next.kind === 'page' ? tellingText(next.text, otherLinks) : undefined;
    const saved = {
      ...{ url, landedUrl, fingerprint, nextText },
      ...{ page: counts.pages, items: items.length, hasHtmlEnd: hasHtmlEndNow, collect: known.fresh },
    };
    crashPoint('before-commit');
    await writer.savePage(at, isPart ? saved : undefined, progress, this.#unsaved());
    crashPoint('after-commit');
    return { kind: 'on', at: { ...at, ...progress, urls: counts.urls } };
  }

  /** Compares a page with what it was when it was read first. Where it differs, the list is walked again from there. */
  async #compare(at: StartPage, number: number, before: StoredListPage, list: ListPage): Promise<StartPage> {
    const { writer } = this.#options;
    if (Buffer.compare(before.fingerprint, fingerprintOf(list)) !== 0) {
      if (at.differed < MOST_DIFFERENCES) {
        await writer.goBack(at, number, this.#unsaved());
        return this.#stored(at);
      }
      const reason = `items moved while they were read: page ${number} had changed each of the ${at.differed + 1} times it was read again`;
      return this.#progress(at, { ended: undefined, nextUrl: undefined, reason });
    }
    const isLast = this.#rules.recheck !== 'every-page' || number >= at.pages;
    if (!isLast) return this.#progress(at, { rechecked: number });
    return this.#progress(at, { rechecked: number, completed: true, reason: at.ended, ended: undefined });
  }

  async #progress(at: StartPage, change: Partial<StartPageProgress>): Promise<StartPage> {
    const changed = { ...at, ...change };
    crashPoint('before-commit');
    await this.#options.writer.savePage(at, undefined, changed, this.#unsaved());
    crashPoint('after-commit');
    return changed;
  }

  get #rules(): WalkRules {
    const { list, maxPages } = this.#options.site;
    return { ...list, ...(maxPages !== undefined && { maxPages }) };
  }

  /** Asks until there is an answer that will stand. Every failure is kept; a site that is down is waited for. */
  async #get(at: StartPage, url: string, patience: Patience): Promise<Got> {
    const { pipeline, clock, random } = this.#options;
    for (let attempt = 1; ; ) {
      patience.stop.throwIfAborted();
      const outcome = await pipeline.fetch({ ...REQUEST, url }, patience);
      const page = outcome.kind === 'ok' ? pageOf(url, outcome.response) : undefined;
      if (page !== undefined && !(await this.#isCutOff(page))) return { kind: 'page', page };
      const reason = page === undefined ? withReason(outcome).reason : CUT_OFF;
      await this.#failed(at, reason, outcome.proxy);
      if (outcome.kind === 'rate_limited' || outcome.kind === 'site_wide') continue;
      const isRetriable = page !== undefined || (outcome.kind === 'url_specific' && outcome.retriable);
      if (!isRetriable) return { kind: 'none', reason };
      const retry = decideRetry(attempt, random);
      if (retry.kind === 'give_up') return { kind: 'none', reason: `${reason}, after ${attempt} attempts` };
      await clock.sleep(retry.delayMs, patience.stop);
      attempt++;
    }
  }

  async #failed(at: StartPage, reason: string, proxy = ''): Promise<void> {
    await this.#options.writer.saveFailure(at, { proxy, error: redactSecrets(reason) }, this.#unsaved());
  }

  /** Whether an HTML page has no end, while other list pages of the site have one. */
  async #isCutOff(page: Page): Promise<boolean> {
    const isHtml = page.contentType === undefined || page.contentType.includes('html');
    return isHtml && !hasHtmlEnd(page) && (await this.#options.writer.hasHtmlEnd());
  }

  #unsaved(): UnsavedMemory {
    return storeUnsaved(this.#options.pipeline.takeUnsaved());
  }
}

const REQUEST = {
  method: 'GET',
  headers: {},
  cookies: {},
  body: undefined,
  session: 'default',
  saves: 'page',
  via: 'http',
  waitFor: undefined,
} as const;

function progressAfter(
  before: StartPage,
  { pages, listed, statedTotal }: ListCounts,
  decision: Exclude<PageDecision, { kind: 'not_believed' }>,
  toRecheck: number,
): StartPageProgress {
  const progress = { ...before, pages, listed, statedTotal, completed: false, nextUrl: undefined, ended: undefined };
  switch (decision.kind) {
    case 'goes_on':
      return { ...progress, nextUrl: decision.nextUrl, reason: undefined };
    case 'does_not_fit':
      return { ...progress, reason: decision.reason };
    case 'ended':
      if (toRecheck === 0) return { ...progress, completed: true, reason: decision.reason };
      return { ...progress, ended: decision.reason, rechecked: 0, reason: undefined };
  }
}

function fingerprintOf({ items }: ListPage): Uint8Array {
  return hash('sha256', items.join('\n'), 'buffer');
}

/** Whether whoever sent it said where it ends. */
function hasKnownLength(page: Page): boolean {
  return page.header('content-length') !== undefined || page.header('transfer-encoding') !== undefined;
}

function withReason(outcome: Outcome): { readonly reason: string } {
  return 'reason' in outcome ? outcome : { reason: outcome.kind };
}

function pageOf(requestUrl: string, { url, status, responseHeaders: headers, body }: FetchedExchange): Page {
  if (body.kind === 'memory') return new Page({ url, requestUrl, status, headers, body: body.decoded });
  throw new CurlewError(ErrorCode.internal, `The list page ${url} was saved to a file.`);
}
