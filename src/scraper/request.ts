// What a step asks for next. A request is a frozen plain object: it names its next step by method reference and
// carries the context that step will be given. Building one does nothing; the engine decides when it leaves.

import type { RequestBody } from '../ledger/request-spec.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Json } from '../platform/json.ts';
import type { Accept } from './accept.ts';
import { encodeFields } from './page/form-encoding.ts';
import type { Page } from './page/page.ts';
import type { SavedFile } from './page/saved-file.ts';
import type { ScrapedRecord } from './record.ts';
import { readFileOptions, readTarget } from './request-target.ts';
import type { Session, SessionValue } from './session.ts';

/** What a step may yield. */
export type Yielded = Request | ScrapedRecord;

/** A scraper's method that reads one page (or one saved file) and yields what is in it. */
export type Step<Input, Context extends readonly unknown[]> = (
  input: Input,
  ...context: Context
) => Iterable<Yielded, void>;

/** Any step, for code that only passes it on. */
export type AnyStep = (input: never, ...context: never[]) => Iterable<Yielded, void>;

/** At most one value is handed from a request to its step. */
export type Handed = readonly [context?: unknown];

/** How a request is to be made, beyond its URL. */
export interface RequestOptions {
  /** Extra header fields. They win over Curlew's own. */
  readonly headers?: Readonly<Record<string, string | SessionValue>>;
  /** Cookies for this request only, beside those of its session. */
  readonly cookies?: Readonly<Record<string, string | SessionValue>>;
  /** Higher goes first. Default: the priority of the step it leads to, else 0. */
  readonly priority?: number;
  /**
   * The request's identity within its run. Default: method, canonical URL and body. A string replaces that;
   * `false` makes every such request its own, so that the same URL is fetched again.
   */
  readonly key?: string | false;
  /**
   * The session it is made in: one that the scraper declares, or just a name. Requests of one session share cookies, other
   * sessions do not see them. Default: that of the values it uses, else `default`.
   */
  readonly session?: string | Session;
  /** `browser` loads the page in Chromium and reads it after its scripts ran. Default: `http`. */
  readonly via?: 'http' | 'browser';
  /** With `via: 'browser'`: wait until an element matches this CSS selector. */
  readonly waitFor?: string;
}

/** What is to be seen to when a file is saved. */
export interface FileOptions {
  /** What the file must be to be kept; checked while it is streamed. Default: anything. */
  readonly accept?: Accept;
  /**
   * Hosts that the file may come from, also after redirects: `*.box.com`. Only over https, unless the entry says `http://`.
   * Default: any.
   */
  readonly from?: readonly string[];
  /**
   * The file's place under `files/named/`, such as `judgments/2026-17.pdf`. Another file in that place is never overwritten: the
   * new one is put beside it. Default: a place that follows from its content.
   */
  readonly path?: string;
}

/** Where a file is, with options of the request and of the file. */
export type DownloadTarget = string | Addressed | (RequestOptions & FileOptions & { readonly url: string | Addressed });

/** Reads the address of a file out of the answer to a ticket request. A method or field of the scraper, by reference. */
export type AddressReader = (page: Page) => string | Addressed;

/** What follows the step of a signed download. */
export type AfterSignedStep<Context extends Handed> = [] extends Context
  ? [context?: Context[0], options?: FileOptions]
  : [context: Context[0], options?: FileOptions];

/** A thing with an address: a `URL`, a link of a page. */
export type Addressed = { readonly href: string } | { readonly url: string };

/** Where to go: an address as written on the page, a link, or either with options. Relative ones are resolved by the engine. */
export type Target = string | Addressed | (RequestOptions & { readonly url: string | Addressed });

/** A filled-in form, as `page.form(…).submit(…)` gives it. */
export interface FormSubmission {
  readonly kind: 'submission';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The encoding a browser would send it in: that of its page. */
  readonly encoding: string;
}

/** A filled-in form, and how it is to be sent beyond that. */
export type SentForm = FormSubmission & RequestOptions;

/** A request on its way out of a step; made by `get`, `post` and `download`. */
export interface Request {
  readonly kind: 'request';
  readonly method: 'GET' | 'POST';
  /** As the author gave it; may be relative. */
  readonly url: string;
  /** `page`: read into memory for the step. `file`: streamed to disk. */
  readonly saves: 'page' | 'file';
  readonly body: RequestBody | undefined;
  readonly step: AnyStep | undefined;
  readonly context: unknown;
  readonly options: RequestOptions & FileOptions;
  /** Set for a signed download: the request asks for the file's address, and this reads it. */
  readonly signed?: AddressReader;
}

/**
 * Asks for a page and hands it to `step`, together with `context` if the step takes one. Without a step the page is only
 * archived. A form's `submit(…)` is a target too, and decides the method; options are spread beside it.
 *
 * @example
 * yield get('/case/17', this.parseCase);
 * yield get({ url: link, priority: 5 }, this.parseCase, { court: 'FSD' });
 * yield get(page.form('#search').submit({ q: 'Smith' }), this.parseResults);
 * yield get({ ...page.form('#search').submit({ q: 'Smith' }), session: 'b' }, this.parseResults);
 */
export function get<Context extends Handed>(
  target: Target | SentForm,
  step: Step<Page, Context>,
  ...context: NoInfer<Context>
): Request;
export function get(target: Target | SentForm): Request;
export function get(target: Target | SentForm, ...next: readonly unknown[]): Request {
  const address = readTarget('get', target);
  if (isSubmission(target)) return build('get', address, target.method, 'page', submittedBody(target), next);
  return build('get', address, 'GET', 'page', undefined, next);
}

/** What JSON can hold, with values of a session among it. */
export type JsonBody =
  | string
  | number
  | boolean
  | null
  | SessionValue
  | readonly JsonBody[]
  | { readonly [key: string]: JsonBody };

/** A body for `post`: form fields, a JSON value, or text of a given media type. */
export type PostBody =
  | { readonly form: Readonly<Record<string, string | SessionValue | readonly (string | SessionValue)[]>> }
  | { readonly json: JsonBody }
  | { readonly text: string; readonly type: string };

/**
 * Sends `body` to `target` and hands the answer to `step`.
 *
 * @example
 * yield post('/search', { form: { name: 'Smith', court: ['A', 'B'] } }, this.parseResults);
 */
export function post<Context extends Handed>(
  target: Target,
  body: PostBody,
  step: Step<Page, Context>,
  ...context: NoInfer<Context>
): Request;
export function post(target: Target, body: PostBody): Request;
export function post(target: Target, body: PostBody, ...next: readonly unknown[]): Request {
  const address = readTarget('post', target);
  return build('post', address, 'POST', 'page', readBody(address, body), next);
}

/**
 * Streams a file to disk, whatever its size, and hands its description to `step`.
 *
 * @example
 * yield download(page.link('a.pdf'), this.savedPdf, { number: '2026-17' });
 * yield download({ url: page.link('a.pdf'), accept: pdf(), path: 'judgments/17.pdf' }, this.savedPdf, { number: '2026-17' });
 */
export function download<Context extends Handed>(
  target: DownloadTarget,
  step: Step<SavedFile, Context>,
  ...context: NoInfer<Context>
): Request;
export function download(target: DownloadTarget): Request;
export function download(target: DownloadTarget, ...next: readonly unknown[]): Request {
  return build('download', readTarget('download', target), 'GET', 'file', undefined, next);
}

/**
 * Downloads a file whose address is good for minutes: makes the ticket request, reads the address out of its answer with `url`,
 * and streams the file to disk. One request with one verdict; every attempt asks for a new address. The answer of the ticket and
 * the address are stored nowhere.
 *
 * @example
 * yield download.signed(
 *   post({ url: '/ajax', session: this.court }, { form: { file: token, security: this.court.value('nonce') } }),
 *   this.fileAddress, this.savedPdf, { token }, { accept: pdf(), from: ['*.box.com'] });
 */
download.signed = <Context extends Handed>(
  ticket: Request,
  url: AddressReader,
  step: Step<SavedFile, Context>,
  ...[context, options = {}]: AfterSignedStep<NoInfer<Context>>
): Request => {
  if (!isRequest(ticket) || ticket.saves === 'file' || ticket.step !== undefined) {
    throw new CurlewError(ErrorCode.invalidRequest, 'download.signed is given no ticket request.', {
      remedy: 'Give a get or post without a step first: download.signed(post(…), this.fileAddress, this.savedPdf).',
    });
  }
  if (typeof url !== 'function') {
    throw new CurlewError(ErrorCode.invalidRequest, 'download.signed is given nothing that reads the address.', {
      remedy: 'Name a method or field of the scraper: download.signed(post(…), this.fileAddress, this.savedPdf).',
    });
  }
  const made = build('download.signed', ticket, ticket.method, 'file', ticket.body, [step, context]);
  return {
    ...made,
    options: { ...ticket.options, ...readFileOptions('download.signed', made.url, options) },
    signed: url,
  };
};

type Maker = 'get' | 'post' | 'download' | 'download.signed';

/** `next`: what was written after the target and the body. Nothing is no step; an `undefined` there is a misspelt one. */
function build(
  maker: Maker,
  { url, options }: Pick<Request, 'url' | 'options'>,
  method: Request['method'],
  saves: Request['saves'],
  body: RequestBody | undefined,
  next: readonly unknown[],
): Request {
  const [step, context] = next;
  if (next.length > 0 && typeof step !== 'function') throw noStep(maker, url, step);
  return { kind: 'request', method, url, saves, body, step: step as AnyStep | undefined, context, options };
}

function noStep(maker: Maker, url: string, step: unknown): CurlewError {
  const given = step === undefined || step === null ? String(step) : `a ${typeof step}`;
  const isMissing = step === undefined || step === null;
  return new CurlewError(ErrorCode.invalidRequest, `${maker} of ${url} is given ${given} as its step.`, {
    summary: `${maker} is given ${given} as its step.`,
    remedy: isMissing
      ? 'The scraper has no method of that name: correct it. For a page that is only to be archived, leave the step out.'
      : 'A step is named by reference to a method: get(url, this.parseCase).',
  });
}

function submittedBody({ method, fields, encoding }: FormSubmission): RequestBody | undefined {
  if (method === 'GET') return undefined;
  if (encoding === 'utf-8') return { kind: 'form', fields };
  return { kind: 'text', text: encodeFields(fields, encoding), type: 'application/x-www-form-urlencoded' };
}

function readBody({ url }: Pick<Request, 'url'>, body: PostBody): RequestBody {
  if (typeof body === 'object' && body !== null) {
    // A value of a session in it is a text by the time that it is queued.
    if ('json' in body) return { kind: 'json', value: body.json as Json };
    if ('text' in body) return { kind: 'text', text: body.text, type: body.type };
    if ('form' in body && typeof body.form === 'object' && body.form !== null) {
      const fields = Object.entries(body.form).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const),
      );
      return { kind: 'form', fields };
    }
  }
  throw new CurlewError(ErrorCode.invalidRequest, `post of ${url} has no body that can be sent.`, {
    summary: 'post has no body that can be sent.',
    remedy: 'Give { form: { name: value } }, { json: value } or { text, type }.',
  });
}

function isSubmission(target: Target | SentForm): target is SentForm {
  return typeof target === 'object' && 'kind' in target && target.kind === 'submission';
}

/** True for what `get`, `post` and `download` return. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'request';
}
