// Search by form, as such sites do it: the form page sets a session cookie and carries a token bound to it. A search
// without the cookie, or with another session's token, is refused. Sessions are signed, not stored, so they outlive
// a restart of the court.

import { createHash } from 'node:crypto';
import { htmlReply, type Reply, type SimRequest, statusReply } from '../reply.ts';
import type { CaseRecord } from './case-record.ts';
import type { Docket } from './docket.ts';
import { courtPage } from './html.ts';
import { caseTable } from './list-page.ts';

const COOKIE = 'court_session';

export class Search {
  readonly #docket: Docket;
  readonly #seed: number;
  #sessions = 0;

  constructor(docket: Docket, seed: number) {
    this.#docket = docket;
    this.#seed = seed;
  }

  /** The form, with a cookie for those who have none. */
  form(request: SimRequest): Reply {
    const known = this.#sessionOf(request);
    const session = known ?? this.#newSession();
    const notice = new URLSearchParams(request.search).has('notfound') ? '<p class="notice">Case not found.</p>\n' : '';
    const body = courtPage('Search', `<h1>Search</h1>\n${notice}${formHtml(this.#sign('token', session))}`);
    const cookie = { 'set-cookie': `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Lax` };
    return htmlReply(200, body, known === undefined ? cookie : {});
  }

  /** The cases that match the posted form. */
  results(request: SimRequest): Reply {
    const fields = new URLSearchParams(request.body);
    const session = this.#sessionOf(request);
    if (session === undefined || fields.get('token') !== this.#sign('token', session)) return statusReply(403);
    const found = this.#docket.publicIds().filter((id) => isMatch(this.#docket.record(id), fields));
    const content = `<h1>Search results</h1>
<p><span class="total">${found.length} results</span></p>
${caseTable(this.#docket, found)}`;
    return htmlReply(200, courtPage('Search results', content));
  }

  #newSession(): string {
    const name = String(++this.#sessions);
    return `${name}.${this.#sign('session', name)}`;
  }

  #sessionOf({ headers }: SimRequest): string | undefined {
    const session = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;\\s]*)`).exec(headers.cookie ?? '')?.[1];
    const [name = '', signature] = session?.split('.') ?? [];
    return signature === this.#sign('session', name) ? session : undefined;
  }

  #sign(purpose: 'session' | 'token', value: string): string {
    return createHash('sha256').update(`${this.#seed}/${purpose}/${value}`).digest('hex').slice(0, 32);
  }
}

function isMatch({ title, filed, division, documents }: CaseRecord, fields: URLSearchParams): boolean {
  const year = fields.get('year') ?? '';
  const wanted = fields.get('division') ?? 'any';
  return (
    title.toLowerCase().includes((fields.get('name') ?? '').trim().toLowerCase()) &&
    filed.startsWith(year) &&
    (wanted === 'any' || wanted === division) &&
    (!fields.has('with-documents') || documents.length > 0)
  );
}

function formHtml(token: string): string {
  return `<form id="search" method="post" action="/search">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="court" value="county">
<label>Name <input type="text" name="name"></label>
<label>Year <select name="year">
<option value="" selected>Any</option>
<option value="2024">2024</option>
<option value="2025">2025</option>
<option value="2026">2026</option>
</select></label>
<label><input type="radio" name="division" value="any" checked> Any division</label>
<label><input type="radio" name="division" value="civil"> Civil</label>
<label><input type="radio" name="division" value="criminal"> Criminal</label>
<label><input type="checkbox" name="with-documents" value="yes"> Only with documents</label>
<button type="submit" name="go" value="search">Search</button>
</form>`;
}
