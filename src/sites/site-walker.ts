// Walks the start pages of a site, list page by list page. A page is saved before the next one is asked for, so a crash
// costs one page. A start page that does not get on is left with its reason, and the others are walked all the same.

import { hash } from 'node:crypto';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { FetchedExchange, Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import { storeUnsaved } from '../fetch/stored-memory.ts';
import type { UnsavedMemory } from '../ledger/run-writer.ts';
import type { StartPage } from '../ledger/sites/partial-run-table.ts';
import type { WalkWriter } from '../ledger/sites/walk-writer.ts';
import { redactSecrets } from '../observe/redact.ts';
import type { Clock } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import { decidePage } from './decide-page.ts';
import type { SiteDefinition } from './define-site.ts';
import { type ListPage, readListPage } from './read-list-page.ts';

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
    if (!startPage.completed && startPage.nextUrl !== undefined) return startPage;
    const { writer } = this.#options;
    await writer.startOver(startPage);
    return (await writer.startPages()).find(({ id }) => id === startPage.id) ?? startPage;
  }

  async #walkOne(startPage: StartPage, patience: Patience): Promise<void> {
    let at = startPage;
    while (at.nextUrl !== undefined) {
      const url = at.nextUrl;
      const got = await this.#get(at, url, patience);
      crashPoint('after-fetch');
      const read = got.kind === 'page' ? this.#read(got.page) : got;
      if (read.kind === 'none') {
        const reason = redactSecrets(`page ${at.pages + 1}, ${url}: ${read.reason}`);
        await this.#options.writer.giveUp(at, reason);
        this.#options.onProgress({ ...at, reason });
        return;
      }
      at = await this.#save(at, url, read.list);
      this.#options.onProgress(at);
    }
  }

  #read(page: Page): { readonly kind: 'list'; readonly list: ListPage } | Extract<Got, { kind: 'none' }> {
    const { site, definition } = this.#options;
    try {
      return { kind: 'list', list: readListPage(page, site, definition) };
    } catch (error) {
      return { kind: 'none', reason: messageOf(error) };
    }
  }

  async #save(at: StartPage, url: string, list: ListPage): Promise<StartPage> {
    const { site, writer } = this.#options;
    const fingerprint = hash('sha256', list.items.join('\n'), 'buffer');
    const known = await writer.recognise(at, { fingerprint, ...list });
    const nextIsKnown = known.nextIsKnown || list.nextUrl === url;
    const rules = { ...site.list, ...(site.maxPages !== undefined && { maxPages: site.maxPages }) };
    const progress = decidePage(at, list, { ...known, nextIsKnown }, rules);
    crashPoint('before-commit');
    await writer.savePage(at, { url, fingerprint, collect: known.fresh }, progress, this.#unsaved());
    crashPoint('after-commit');
    return { ...at, ...progress, urls: at.urls + known.fresh.length };
  }

  /** Asks until there is an answer that will stand. Every failure is kept; a site that is down is waited for. */
  async #get(at: StartPage, url: string, patience: Patience): Promise<Got> {
    const { pipeline, clock, random } = this.#options;
    for (let attempt = 1; ; ) {
      patience.stop.throwIfAborted();
      const outcome = await pipeline.fetch({ ...REQUEST, url }, patience);
      if (outcome.kind === 'ok') return { kind: 'page', page: pageOf(url, outcome.response) };
      await this.#failed(at, outcome);
      const { reason } = withReason(outcome);
      if (outcome.kind === 'rate_limited' || outcome.kind === 'site_wide') continue;
      if (outcome.kind !== 'url_specific' || !outcome.retriable) return { kind: 'none', reason };
      const retry = decideRetry(attempt, random);
      if (retry.kind === 'give_up') return { kind: 'none', reason: `${reason}, after ${attempt} attempts` };
      await clock.sleep(retry.delayMs, patience.stop);
      attempt++;
    }
  }

  async #failed(at: StartPage, outcome: Outcome): Promise<void> {
    const error = redactSecrets(withReason(outcome).reason);
    await this.#options.writer.saveFailure(at, { proxy: outcome.proxy ?? '', error }, this.#unsaved());
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

function withReason(outcome: Outcome): { readonly reason: string } {
  return 'reason' in outcome ? outcome : { reason: outcome.kind };
}

function pageOf(requestUrl: string, { url, status, responseHeaders: headers, body }: FetchedExchange): Page {
  if (body.kind === 'memory') return new Page({ url, requestUrl, status, headers, body: body.decoded });
  throw new CurlewError(ErrorCode.internal, `The list page ${url} was saved to a file.`);
}
