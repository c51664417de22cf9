// Asks for addresses by pressing the buttons of the page in Chromium, for when the page must run. The page's own script
// makes the call; where it would send the browser then, to the file, is not gone to: files are fetched apart. For a case
// without a button the call is made in the page, with its nonce.

import type { BrowserTab, Page, Request, Response } from '../../../fetch/browser/browser-tab.ts';
import type { Patience } from '../../../fetch/patience.ts';
import type { StoredCase } from '../../../ledger/mirror/case-row.ts';
import { CurlewError, ErrorCode, messageOf } from '../../../platform/errors.ts';
import { normalizeActionToken } from '../../csv/normalize-action-token.ts';
import { DownloadError } from '../../download-error.ts';
import type { ClientContext, JudicialClient, SiteAnswer } from '../source.ts';
import type { JudicialAddresses } from './http-client.ts';
import { pageError, structureError } from './page-error.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';
import { readRegister } from './read-register.ts';

const TABLE = '#judgment-registers';
/** DataTables: how many rows are shown. Only rows that are shown can be pressed. */
const ROWS_SHOWN = '.dt-length select';
const ALL_ROWS = '-1';

export class BrowserJudicialClient implements JudicialClient {
  readonly #context: ClientContext;
  readonly #addresses: JudicialAddresses;
  readonly #tab: BrowserTab;
  /** What the buttons of the loaded page are called, by normalised token; undefined when no page is loaded. */
  #buttons: ReadonlyMap<string, string> | undefined;

  private constructor(context: ClientContext, addresses: JudicialAddresses, tab: BrowserTab) {
    this.#context = context;
    this.#addresses = addresses;
    this.#tab = tab;
  }

  /** Throws `browser_launch_failed`. */
  static async open(context: ClientContext, addresses: JudicialAddresses): Promise<BrowserJudicialClient> {
    try {
      const tab = await context.pipeline.openTab('judicial-ky', context.patience);
      await stayOn(tab.page, addresses.page);
      return new BrowserJudicialClient(context, addresses, tab);
    } catch (error) {
      throw launchFailed(error);
    }
  }

  async fetchSignedBoxUrl(wanted: StoredCase, patience: Patience): Promise<string> {
    try {
      if (this.#buttons === undefined) await this.#load('first');
      try {
        return await this.#press(wanted, patience);
      } catch (error) {
        if (!(error instanceof DownloadError) || error.code !== 'ajax_403') throw error;
        await this.#load('refused');
        return await this.#press(wanted, patience);
      }
    } catch (error) {
      if (error instanceof DownloadError || error instanceof CurlewError) throw error;
      if (patience.abort.aborted) throw patience.abort.reason;
      if (patience.stop.aborted) throw patience.stop.reason;
      if (!this.#tab.isAlive) throw launchFailed(error);
      // A page that fails in the middle is loaded anew for the next case.
      this.#buttons = undefined;
      const code = isTimeout(error) ? 'network_timeout' : 'network_error';
      throw new DownloadError(code, `Chromium: ${firstLine(error)}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#tab.close();
  }

  async #press(wanted: StoredCase, patience: Patience): Promise<string> {
    const name = this.#buttons?.get(wanted.actionTokenNorm);
    if (name === undefined) return this.#call(wanted);
    const { config, clock, observe, isFile } = this.#context;
    const { page } = this.#tab;
    const answered = this.#answer(page);
    // It may fail while the click is still under way; it is awaited below.
    answered.catch(() => {});
    const button = page.locator(`${TABLE} button[data-dl=${JSON.stringify(name)}]`).first();
    try {
      await button.click({ timeout: config.clickTimeoutMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new DownloadError('click_timeout', `the button could not be pressed: ${firstLine(error)}`);
    }
    const answer = await answered;
    observe(answer);
    await clock.sleep(config.postClickSleepMs, patience.stop);
    return readAjaxAnswer(answer, clock.now(), isFile);
  }

  /** Makes the call that a button would make, if there were one. */
  async #call({ actionTokenRaw: fname }: StoredCase): Promise<string> {
    const { clock, observe, isFile } = this.#context;
    const { page } = this.#tab;
    const read = readRegister(await page.content());
    if (read.kind === 'changed') throw structureError(read.missing);
    const security = read.register.nonces[0]?.value ?? '';
    const form = new URLSearchParams({ action: 'dl_bfile', fid: '', fname, security }).toString();
    const answered = this.#answer(page);
    answered.catch(() => {});
    await page.evaluate(CALL, { ajax: this.#addresses.ajax, form });
    const answer = await answered;
    observe(answer);
    return readAjaxAnswer(answer, clock.now(), isFile);
  }

  /** What the site says to the next call of the page's script. */
  async #answer(page: Page): Promise<SiteAnswer> {
    const { ajax } = this.#addresses;
    const timeout = this.#context.config.navTimeoutMs;
    const isCall = (request: Request) => request.method() === 'POST' && request.url() === ajax;
    const failed = page.waitForEvent('requestfailed', { predicate: isCall, timeout: 0 });
    failed.catch(() => {});
    const response = page.waitForResponse((one) => isCall(one.request()), { timeout });
    const first = await Promise.race([response, failed.then((request) => request.failure()?.errorText ?? 'it failed')]);
    if (typeof first !== 'string') return answerOf(first);
    response.catch(() => {});
    throw new DownloadError('network_error', `the call of the page got no answer: ${first}`);
  }

  async #load(reason: 'first' | 'refused'): Promise<void> {
    const { config, clock, emit, patience } = this.#context;
    const url = new URL(this.#addresses.page);
    if (reason !== 'first') url.searchParams.set('t', clock.now().toString(36));
    this.#buttons = undefined;
    await emit({ label: 'NAV', fields: { phase: 'page', reason, url: this.#addresses.page, client: 'browser' } });
    const status = await this.#tab.goto(url.href, config.navTimeoutMs);
    if (status !== 200) throw pageError(status);
    const { page } = this.#tab;
    await this.#expect(page, TABLE);
    await this.#expect(page, ROWS_SHOWN);
    const shown = await page
      .locator(ROWS_SHOWN)
      .first()
      .selectOption(ALL_ROWS, { timeout: config.selectorTimeoutMs, force: true })
      .catch(() => []);
    if (shown.length === 0) throw structureError('a way to show all rows');
    const names = await page
      .locator(`${TABLE} button[data-dl]`)
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('data-dl') ?? ''));
    if (names.length === 0) throw structureError('a button with data-dl');
    this.#buttons = new Map(names.toReversed().map((name) => [normalizeActionToken(name), name]));
    await emit({ label: 'TABLE', fields: { phase: 'page', buttons: this.#buttons.size, client: 'browser' } });
    if (reason !== 'first') await clock.sleep(config.retryPageSettleMs, patience.stop);
  }

  async #expect(page: Page, selector: string): Promise<void> {
    try {
      await page
        .locator(selector)
        .first()
        .waitFor({ state: 'attached', timeout: this.#context.config.selectorTimeoutMs });
    } catch (error) {
      if (isTimeout(error)) throw structureError(`an element ${selector}`);
      throw error;
    }
  }
}

/** In the page: where a script would send it, it does not go. What was answered could not be read any more. */
const STAY = `navigation.addEventListener('navigate', (event) => {
  if (event.cancelable && !event.hashChange) event.preventDefault();
});`;

/** Run in the page, whose requests pass the gates of the tab: the call as its script makes it. */
const CALL = ({ ajax, form }: { ajax: string; form: string }): void => {
  const headers = { 'X-Requested-With': 'XMLHttpRequest' };
  void globalThis.fetch(ajax, { method: 'POST', headers, body: new URLSearchParams(form) }).catch(() => {});
};

/** Nothing leads the tab away from the page, and nothing but the page is loaded. */
async function stayOn(page: Page, home: string): Promise<void> {
  await page.addInitScript({ content: STAY });
  const { origin, pathname } = new URL(home);
  await page.route(
    (url) => url.origin !== origin || url.pathname !== pathname,
    (route) => (route.request().isNavigationRequest() ? route.abort('aborted') : route.continue()),
  );
}

async function answerOf(response: Response): Promise<SiteAnswer> {
  const headers = await response.allHeaders();
  return { status: response.status(), body: await response.text(), retryAfter: headers['retry-after'] };
}

function launchFailed(error: unknown): Error {
  if (error instanceof CurlewError && error.code !== ErrorCode.serviceMissing) return error;
  return new DownloadError('browser_launch_failed', `no Chromium: ${firstLine(error)}`, { cause: error });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Playwright's messages go on with a log of what it tried. */
function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
