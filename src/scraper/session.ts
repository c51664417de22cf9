// A session that has to be opened before requests can be made in it, and that expires: a login, a CSRF token, a nonce. It is
// declared as a field of a scraper; the field's name is its name. Values of it are secrets: requests carry references to them,
// which are filled in when a request leaves.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { assertFunction, isPlainObject } from './author-function.ts';
import type { Page } from './page/page.ts';
import type { Request } from './request.ts';
import { markerOf } from './value-marker.ts';

/** What `open` is told. */
export interface SessionOpening {
  /** 1 for the first opening in the run; grows with each. */
  readonly nth: number;
  /** A short text that no earlier opening had: in a query it passes by any page cache. */
  readonly unique: string;
}

/**
 * What a session gives to requests, by name: a text, a text for each of many keys, or a list of texts of which one is right. Of
 * a list the first is used; if the site refuses it after the session was opened anew, the next, until one is accepted.
 */
export type SessionValues = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>>;

/** How a session is opened, what is read of it, and how it ends. */
export interface SessionOptions {
  /**
   * The request that opens it, or several, made one after the other. A generator is handed the page of each request that it
   * yields, so that a login form can be filled in. They lead to no step.
   */
  open(opening: SessionOpening): Request | readonly Request[] | Generator<Request, void, Page>;
  /** The values to be used in later requests, of the last page; `pages` are all of them. Default: none, cookies are enough. */
  read?(page: Page, pages: readonly Page[]): SessionValues;
  /**
   * Whether an answer says that the session is over. Looked at before the step runs, for any answer below 500. The session is
   * then opened anew, and the request made once more.
   */
  expired?(page: Page): boolean;
}

const names = new WeakMap<Session, string>();

/** A session; made by `session`. */
export class Session {
  readonly kind = 'session';
  /** @internal */
  readonly options: SessionOptions;

  /** @internal */
  constructor(options: SessionOptions) {
    this.options = options;
  }

  /**
   * A reference to a value of the session, for form fields, JSON bodies, header fields, cookies and addresses; with `key`, to one
   * of a map. The value itself is known only when the request leaves, and is stored nowhere else.
   *
   * @example
   * post({ url: '/ajax', session: this.court }, { form: { security: this.court.value('nonce') } }, this.parseAnswer);
   */
  value(name: string, key?: string): SessionValue {
    for (const text of key === undefined ? [name] : [name, key]) {
      if (typeof text !== 'string') {
        throw new CurlewError(ErrorCode.invalidRequest, 'The name and the key of a value of a session must be texts.');
      }
    }
    return new SessionValue(this, key === undefined ? [name] : [name, key], undefined);
  }
}

/** A reference to a value of a session. As text it is a mark that the engine replaces. */
export class SessionValue {
  readonly #session: Session;
  readonly #path: readonly string[];
  readonly #otherwise: string | undefined;

  /** @internal */
  constructor(session: Session, path: readonly string[], otherwise: string | undefined) {
    this.#session = session;
    this.#path = path;
    this.#otherwise = otherwise;
  }

  /** The same, with a text that stands in for it where the session has no such value. */
  or(text: string): SessionValue {
    return new SessionValue(this.#session, this.#path, text);
  }

  toString(): string {
    const or = this.#otherwise;
    // A session without a name is refused when the request is queued.
    const session = names.get(this.#session) ?? '';
    return markerOf({ session, path: this.#path, ...(or !== undefined && { or }) });
  }

  toJSON(): string {
    return this.toString();
  }
}

/**
 * Declares a session. Requests name it with `session: this.court` and share its cookies; it is opened when the first of them
 * leaves, and again when it has expired: by one request, however many wait.
 *
 * @example
 * court = session({
 *   open: () => get('/judgments/'),
 *   read: (page) => ({ nonce: page.attr('#judgments', 'data-nonce') }),
 *   expired: (page) => page.status === 403 || page.source === '-1',
 * });
 */
export function session(options: SessionOptions): Session {
  if (!isPlainObject(options)) {
    throw new CurlewError(ErrorCode.scraperDefinition, 'A session is given no options.', { remedy: HOW });
  }
  const { open, read, expired, ...rest } = options;
  const [strange] = Object.keys(rest);
  if (strange !== undefined) {
    throw new CurlewError(ErrorCode.scraperDefinition, `A session has no option ${strange}.`, { remedy: HOW });
  }
  assertFunction('What opens a session', open, { yield: true });
  if (read !== undefined) assertFunction('What reads the values of a session', read, { yield: false });
  if (expired !== undefined) assertFunction('What tells that a session has expired', expired, { yield: false });
  return new Session(options);
}

const HOW = 'Write session({ open: () => get(…), read: (page) => ({ … }), expired: (page) => … }).';

/** True for what `session` returns. */
export function isSession(value: unknown): value is Session {
  return value instanceof Session;
}

/** Tells a session the name of its field. */
export function nameSession(given: Session, name: string): void {
  names.set(given, name);
}

/** The name of its field; undefined when it is no public field of a scraper. */
export function sessionName(given: Session): string | undefined {
  return names.get(given);
}
