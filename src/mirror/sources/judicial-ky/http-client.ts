// Asks for addresses as the script of the page does, without running it: GET the page for nonce, cookie and buttons, then
// POST. A refusal (403 or -1) costs one new page, fetched past any cache, then the case goes on or fails.

import type { FetchRequest } from '../../../fetch/fetch-request.ts';
import { headerValue } from '../../../fetch/http/header-list.ts';
import type { FetchedExchange } from '../../../fetch/outcome.ts';
import type { Patience } from '../../../fetch/patience.ts';
import type { StoredCase } from '../../../ledger/mirror/case-row.ts';
import { decodeText } from '../../../scraper/page/decode-text.ts';
import { DownloadError } from '../../download-error.ts';
import { outcomeError } from '../../outcome-error.ts';
import type { ClientContext, JudicialClient, SiteAnswer } from '../source.ts';
import { noButton, pageError, structureError } from './page-error.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';
import { type Register, type RegisterButton, readRegister } from './read-register.ts';

export interface JudicialAddresses {
  /** The page with the register. */
  readonly page: string;
  readonly ajax: string;
}

/** A page older than this is asked for anew when it lacks a case. */
const YOUNG_MS = 300_000;

interface LoadedPage {
  readonly register: Register;
  readonly at: number;
  /** Whether a cache may have given it. */
  readonly mayBeStale: boolean;
}

export class HttpJudicialClient implements JudicialClient {
  readonly #context: ClientContext;
  readonly #addresses: JudicialAddresses;
  #page: LoadedPage | undefined;

  constructor(context: ClientContext, addresses: JudicialAddresses) {
    this.#context = context;
    this.#addresses = addresses;
  }

  async fetchSignedBoxUrl(wanted: StoredCase, patience: Patience): Promise<string> {
    const page = this.#page ?? (await this.#load('first', patience));
    try {
      return await this.#ask(wanted, page, patience);
    } catch (error) {
      if (!(error instanceof DownloadError) || error.code !== 'ajax_403') throw error;
      return this.#ask(wanted, await this.#load('refused', patience), patience);
    }
  }

  async close(): Promise<void> {
    this.#page = undefined;
  }

  async #ask(wanted: StoredCase, page: LoadedPage, patience: Patience): Promise<string> {
    const { button, nonce } = await this.#buttonOf(wanted, page, patience);
    const { clock, observe } = this.#context;
    const form = new URLSearchParams({ action: 'dl_bfile', fid: button.fid, fname: button.fname, security: nonce });
    const answer = await this.#send(
      {
        method: 'POST',
        url: this.#addresses.ajax,
        headers: {
          Accept: 'application/json, text/javascript, */*; q=0.01',
          'X-Requested-With': 'XMLHttpRequest',
          Origin: new URL(this.#addresses.page).origin,
          Referer: this.#addresses.page,
        },
        body: {
          bytes: Buffer.from(form.toString()),
          type: 'application/x-www-form-urlencoded; charset=UTF-8',
        },
      },
      patience,
    );
    observe(answer);
    return readAjaxAnswer(answer, clock.now());
  }

  async #buttonOf(
    wanted: StoredCase,
    page: LoadedPage,
    patience: Patience,
  ): Promise<{ button: RegisterButton; nonce: string }> {
    const button = page.register.buttons.get(wanted.actionTokenNorm);
    if (button !== undefined) return { button, nonce: page.register.nonce };
    const isOld = page.mayBeStale || this.#context.clock.now() - page.at >= YOUNG_MS;
    if (!isOld) throw noButton();
    return this.#buttonOf(wanted, await this.#load('no_button', patience), patience);
  }

  /** The first time as a visitor comes; later with a query, which no page cache has. */
  async #load(reason: 'first' | 'refused' | 'no_button', patience: Patience): Promise<LoadedPage> {
    const { clock, emit } = this.#context;
    const isFirst = reason === 'first';
    const url = new URL(this.#addresses.page);
    if (!isFirst) url.searchParams.set('t', clock.now().toString(36));
    await emit({ label: 'NAV', fields: { phase: 'page', reason, url: this.#addresses.page } });
    const { status, body } = await this.#send({ method: 'GET', url: url.href, headers: {}, body: undefined }, patience);
    if (status !== 200) throw pageError(status);
    const read = readRegister(body);
    if (read.kind === 'changed') throw structureError(read.missing);
    const { register } = read;
    this.#page = { register, at: clock.now(), mayBeStale: isFirst };
    await emit({ label: 'TABLE', fields: { phase: 'page', buttons: register.buttons.size } });
    return this.#page;
  }

  /** An answer of any status; what is none is a `DownloadError`. */
  async #send(
    request: Pick<FetchRequest, 'method' | 'url' | 'headers' | 'body'>,
    patience: Patience,
  ): Promise<SiteAnswer> {
    const { pipeline, config } = this.#context;
    const outcome = await pipeline.fetch(
      {
        ...request,
        cookies: {},
        session: 'judicial-ky',
        saves: 'page',
        via: 'http',
        waitFor: undefined,
        totalTimeoutMs: config.navTimeoutMs,
      },
      patience,
    );
    const answer = outcome.exchanges.at(-1);
    if (answer === undefined || ('failure' in outcome && outcome.failure !== undefined)) {
      throw outcomeError(outcome, 'the court site', this.#context.clock.now());
    }
    return siteAnswer(answer);
  }
}

function siteAnswer({ status, responseHeaders, body }: FetchedExchange): SiteAnswer {
  const type = headerValue(responseHeaders, 'content-type');
  const text = body.kind === 'memory' ? decodeText(body.decoded, type).text : '';
  return { status, body: text, retryAfter: headerValue(responseHeaders, 'retry-after') };
}
