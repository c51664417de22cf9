// What a step asks for next. A request is a frozen plain object: it names its next step by method reference and
// carries the context that step will be given. Building one does nothing; the engine decides when it leaves.

import type { RequestBody } from '../ledger/request-spec.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Json } from '../platform/json.ts';
import { encodeFields } from './page/form-encoding.ts';
import type { Page } from './page/page.ts';
import type { SavedFile } from './page/saved-file.ts';
import type { ScrapedRecord } from './record.ts';
import { readTarget } from './request-target.ts';

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
  readonly headers?: Readonly<Record<string, string>>;
  /** Cookies for this request only, beside those of its session. */
  readonly cookies?: Readonly<Record<string, string>>;
  /** Higher goes first. Default: the priority of the step it leads to, else 0. */
  readonly priority?: number;
  /**
   * The request's identity within its run. Default: method, canonical URL and body. A string replaces that;
   * `false` makes every such request its own, so that the same URL is fetched again.
   */
  readonly key?: string | false;
  /** Name of the cookie scope. Requests of one session share cookies, other sessions do not see them. Default: `default`. */
  readonly session?: string;
  /** `browser` loads the page in Chromium and reads it after its scripts ran. Default: `http`. */
  readonly via?: 'http' | 'browser';
  /** With `via: 'browser'`: wait until an element matches this CSS selector. */
  readonly waitFor?: string;
}

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
  readonly options: RequestOptions;
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

/** A body for `post`: form fields, a JSON value, or text of a given media type. */
export type PostBody =
  | { readonly form: Readonly<Record<string, string | readonly string[]>> }
  | { readonly json: Json }
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
 */
export function download<Context extends Handed>(
  target: Target,
  step: Step<SavedFile, Context>,
  ...context: NoInfer<Context>
): Request;
export function download(target: Target): Request;
export function download(target: Target, ...next: readonly unknown[]): Request {
  return build('download', readTarget('download', target), 'GET', 'file', undefined, next);
}

type Maker = 'get' | 'post' | 'download';

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
    if ('json' in body) return { kind: 'json', value: body.json };
    if ('text' in body) return { kind: 'text', text: body.text, type: body.type };
    if ('form' in body && typeof body.form === 'object' && body.form !== null) {
      const fields = Object.entries(body.form).flatMap(([name, value]) =>
        (typeof value === 'string' ? [value] : value).map((one) => [name, one] as const),
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
