// A visitor of the simulated site, for tests: does what the page's script does, by hand, and changes any part of it.

import { request } from 'undici';
import type { RunningJudicialKy } from './judicial-ky.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Asked {
  readonly fname?: string;
  readonly fid?: string;
  readonly security?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Visitor {
  readonly #site: RunningJudicialKy;
  cookie = '';
  nonce = '';

  constructor(site: RunningJudicialKy) {
    this.#site = site;
  }

  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return read(
      await request(url, { headers: { ...headers, ...(this.cookie === '' ? {} : { cookie: this.cookie }) } }),
    );
  }

  /** Loads the page and remembers its nonce and the cookie, if it sets one. */
  async visit(url = this.#site.pageUrl): Promise<Answer> {
    const page = await this.get(url);
    const cookie = page.headers['set-cookie'];
    if (typeof cookie === 'string') this.cookie = cookie.split(';', 1)[0] ?? '';
    this.nonce = /"(?:ajax_nonce|security|_nonce)":"([0-9a-f]{10})"/.exec(page.text)?.[1] ?? '';
    return page;
  }

  /** Asks for the address of a case's file. */
  async ask(token: string, { headers = {}, ...changes }: Asked = {}): Promise<Answer> {
    const { url, ajaxUrl, pageUrl, corpus } = this.#site;
    const form = { fid: corpus.find(token)?.fid ?? '', fname: token, security: this.nonce, ...changes };
    const usual = { 'x-requested-with': 'XMLHttpRequest', origin: url, referer: pageUrl, cookie: this.cookie };
    return read(
      await request(ajaxUrl, {
        method: 'POST',
        headers: { ...usual, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ action: 'dl_bfile', ...form }).toString(),
      }),
    );
  }

  /** The address that `ask` was given. */
  async addressOf(token: string): Promise<string> {
    return String(JSON.parse((await this.ask(token)).text).data.fid);
  }
}

async function read({ statusCode, headers, body }: Awaited<ReturnType<typeof request>>): Promise<Answer> {
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, headers, bytes, text: bytes.toString() };
}
