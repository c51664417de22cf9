// Who may do what. Looking is free; what changes something needs the token, or a session with its CSRF value, unless the
// server can be reached from this machine only. In either case no web page of another origin can make a browser do it, and
// on loopback none can reach us by a name of its own (DNS rebinding).

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { HttpError } from '../http/http-error.ts';
import { AttemptLimit } from './attempt-limit.ts';
import { hostName, isLoopback } from './loopback.ts';
import { secretEquals } from './secret-equals.ts';
import { type Session, Sessions } from './sessions.ts';

export interface AccessOptions {
  /** What the server listens on. */
  readonly host: string;
  /** `CURLEW_TOKEN`. Without it nobody can log in. */
  readonly token: string | undefined;
  /** The address people use, behind a reverse proxy. */
  readonly publicUrl: URL | undefined;
}

export class Access {
  readonly sessions: Sessions;
  /** Whether what changes something needs a token or session. */
  readonly loginNeeded: boolean;
  readonly #token: string | undefined;
  readonly #publicUrl: URL | undefined;
  readonly #local: boolean;
  readonly #limit: AttemptLimit;

  constructor({ host, token, publicUrl }: AccessOptions, clock: Clock, random: Random) {
    this.sessions = new Sessions(clock, random);
    this.#limit = new AttemptLimit(clock);
    this.#token = token;
    this.#publicUrl = publicUrl;
    this.#local = isLoopback(host);
    this.loginNeeded = !this.#local || publicUrl !== undefined;
  }

  /** Cookies go over TLS only, where people come by TLS. */
  get secureCookies(): boolean {
    return this.#publicUrl?.protocol === 'https:';
  }

  /** Throws 403 `bad_host` for a call by a name that is not ours. Holds for every call. */
  checkHost(request: FastifyRequest): void {
    if (!this.#local) return;
    const name = hostName(request.headers.host);
    if (name !== undefined && (isLoopback(name) || name === this.#publicUrl?.hostname)) return;
    throw new HttpError(403, 'bad_host', {
      message: 'This server answers to localhost only.',
      remedy: 'Open it as http://127.0.0.1 with its port, or start it with --public-url.',
    });
  }

  /** Throws 403 `bad_origin` for a change that a page of another origin asks for. */
  checkOrigin({ headers }: FastifyRequest): void {
    const { origin } = headers;
    const isOurs = origin === undefined || this.#isOurs(origin, headers.host);
    if (isOurs && headers['sec-fetch-site'] !== 'cross-site') return;
    throw new HttpError(403, 'bad_origin', { message: 'A page of another origin asked for this.' });
  }

  /** Throws 401 or 403 unless the caller may change something. */
  checkChange(request: FastifyRequest): void {
    if (!this.loginNeeded) return;
    const bearer = /^bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) {
      this.checkToken(bearer, request.ip);
      return;
    }
    const session = this.sessionOf(request);
    if (session === undefined) {
      throw new HttpError(401, 'login_needed', {
        message: 'This changes something, and you are not logged in.',
        remedy: 'Log in, or send the header Authorization: Bearer with the token in CURLEW_TOKEN.',
      });
    }
    if (!secretEquals(csrfOf(request), session.csrf)) {
      throw new HttpError(403, 'bad_csrf', {
        message: 'The header X-Curlew-CSRF is missing or not that of the session.',
      });
    }
  }

  /** Throws 401 `invalid_token`, and 429 `too_many_attempts` for who was wrong too often. */
  checkToken(given: string, address: string): void {
    const waitMs = this.#limit.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      throw new HttpError(
        429,
        'too_many_attempts',
        { message: 'The token was wrong too often.', remedy: `Try again in ${seconds} s.` },
        { 'retry-after': String(seconds) },
      );
    }
    if (this.#token !== undefined && secretEquals(given, this.#token)) {
      this.#limit.succeeded(address);
      return;
    }
    this.#limit.failed(address);
    throw new HttpError(401, 'invalid_token', { message: 'That is not the token.' });
  }

  sessionOf(request: FastifyRequest): Session | undefined {
    return this.sessions.find(request.headers.cookie);
  }

  #isOurs(origin: string, host: string | undefined): boolean {
    const url = URL.parse(origin);
    if (url === null) return false;
    return (
      url.origin === this.#publicUrl?.origin || (host !== undefined && url.host === URL.parse(`http://${host}`)?.host)
    );
  }
}

function csrfOf({ headers, body }: FastifyRequest): string {
  const header = headers['x-curlew-csrf'];
  if (typeof header === 'string') return header;
  return typeof body === 'object' && body !== null && 'csrf' in body ? String(body.csrf) : '';
}
