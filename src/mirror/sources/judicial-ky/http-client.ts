// Asks for addresses as the script of the page does, without running it: GET the page for nonce, cookie and buttons, then
// POST. A case without a button is asked for by its token. A refusal (403 or -1) costs one new page, fetched past any cache;
// if the page has several nonces and none has been accepted yet, the others are tried then.

import type { FetchRequest } from '../../../fetch/fetch-request.ts';
import { headerValue } from '../../../fetch/http/header-list.ts';
import type { FetchedExchange } from '../../../fetch/outcome.ts';
import type { Patience } from '../../../fetch/patience.ts';
import type { StoredCase } from '../../../ledger/mirror/case-row.ts';
import { decodeText } from '../../../scraper/page/decode-text.ts';
import { DownloadError } from '../../download-error.ts';
import { outcomeError } from '../../outcome-error.ts';
import type { ClientContext, JudicialClient, SiteAnswer } from '../source.ts';
import type { Nonce } from './find-nonces.ts';
import { pageError, structureError } from './page-error.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';
import { type Register, type RegisterButton, readRegister } from './read-register.ts';

export interface JudicialAddresses {
  /** The page with the register. */
  readonly page: string;
  readonly ajax: string;
}

/** A page older than this is asked for anew when it lacks a case. */
const YOUNG_MS = 300_000;
/** More nonces of a page are not tried: each costs a call. */
const MOST_NONCES = 5;

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
  /** Where the nonce stands that the site accepted. */
  #place: string | undefined;
  /** Whether every nonce of a page has been refused: then only the likeliest is tried from there on. */
  #allRefused = false;

  constructor(context: ClientContext, addresses: JudicialAddresses) {
    this.#context = context;
    this.#addresses = addresses;
  }

  async fetchSignedBoxUrl(wanted: StoredCase, patience: Patience): Promise<string> {
    const page = this.#page ?? (await this.#load('first', patience));
    try {
      return await this.#ask(wanted, page, 0, patience);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const fresh = await this.#load('refused', patience);
    const isSettled = this.#place !== undefined || this.#allRefused;
    const nonces = this.#noncesOf(fresh, fresh.register.buttons.get(wanted.actionTokenNorm));
    const most = isSettled ? 1 : Math.min(MOST_NONCES, nonces.length);
    for (let at = 0; ; at++) {
      try {
        return await this.#ask(wanted, fresh, at, patience);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (at + 1 < most) continue;
        this.#allRefused ||= !isSettled;
        throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#page = undefined;
  }

  /** With the `at`th nonce of the page, or the button's own. */
  async #ask(wanted: StoredCase, given: LoadedPage, at: number, patience: Patience): Promise<string> {
    const page = await this.#pageFor(wanted, given, patience);
    const button = page.register.buttons.get(wanted.actionTokenNorm);
    const nonce = this.#noncesOf(page, button)[at];
    const { clock, observe, isFile } = this.#context;
    const form = new URLSearchParams({
      action: 'dl_bfile',
      fid: button?.fid ?? '',
      fname: button?.fname ?? wanted.actionTokenRaw,
      security: nonce?.value ?? '',
    });
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
    const url = readAjaxAnswer(answer, clock.now(), isFile);
    this.#place = nonce?.place;
    return url;
  }

  /** A page that may be too old to have the button is loaded anew, once; then the case is asked for without one. */
  async #pageFor(wanted: StoredCase, page: LoadedPage, patience: Patience): Promise<LoadedPage> {
    if (page.register.buttons.has(wanted.actionTokenNorm)) return page;
    const isOld = page.mayBeStale || this.#context.clock.now() - page.at >= YOUNG_MS;
    return isOld ? this.#load('no_button', patience) : page;
  }

  /** That of the button and those of the page; the one that was accepted before comes first. */
  #noncesOf({ register }: LoadedPage, button: RegisterButton | undefined): readonly Nonce[] {
    const own = button?.nonce === undefined ? [] : [{ value: button.nonce, place: 'button' }];
    const nonces = [...own, ...register.nonces];
    const accepted = nonces.filter(({ place }) => place === this.#place);
    return [...accepted, ...nonces.filter(({ place }) => place !== this.#place)];
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

function isRefusal(error: unknown): boolean {
  return error instanceof DownloadError && error.code === 'ajax_403';
}

function siteAnswer({ status, responseHeaders, body }: FetchedExchange): SiteAnswer {
  const type = headerValue(responseHeaders, 'content-type');
  const text = body.kind === 'memory' ? decodeText(body.decoded, type).text : '';
  return { status, body: text, retryAfter: headerValue(responseHeaders, 'retry-after') };
}
