// Who may do what. Where others can reach the server, reading needs one of the tokens or a session, and changing needs the
// change token or a session begun with it, with its CSRF value. Everywhere, the server answers only to names of its own, so
// that no web page reaches it by a name of its own (DNS rebinding), and no page of another origin can change something.

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import { HttpError } from '../http/http-error.ts';
import { hostName, isLoopback, isOwnAddress } from './loopback.ts';
import { secretEquals } from './secret-equals.ts';
import { type Session, Sessions } from './sessions.ts';
import { levelOf, readTokens, type Tokens } from './tokens.ts';
import { WrongTokens } from './wrong-tokens.ts';

export interface AccessOptions {
  /** What the server listens on. */
  readonly host: string;
  /** `CURLEW_TOKEN`. */
  readonly token: string | undefined;
  /** `CURLEW_READ_TOKEN`. Where it is set, reading needs a token, also on loopback. */
  readonly readToken: string | undefined;
  /** The address people use, behind a reverse proxy. */
  readonly publicUrl: URL | undefined;
  /** More names that the server answers to. */
  readonly names: readonly string[];
  /** Whether a login is needed on loopback too. */
  readonly requireLogin: boolean;
}

const BEARER = { 'www-authenticate': 'Bearer realm="curlew"' };

export class Access {
  readonly sessions: Sessions;
  readonly wrongTokens: WrongTokens;
  /** Whether reading and changing need a token or session. */
  readonly loginNeeded: boolean;
  readonly #tokens: Tokens;
  readonly #publicUrl: URL | undefined;
  readonly #names: ReadonlySet<string>;

  /** Throws `usage` for tokens that cannot be used, and where one is needed and none is there. */
  constructor(options: AccessOptions, clock: Clock, random: Random) {
    const { host, token, readToken, publicUrl, names, requireLogin } = options;
    this.sessions = new Sessions(clock, random);
    this.wrongTokens = new WrongTokens(clock);
    this.#tokens = readTokens(token, readToken);
    this.#publicUrl = publicUrl;
    this.#names = new Set([host, publicUrl?.host, ...names].flatMap((name) => hostName(name) ?? []));
    const isReachable = !isLoopback(host) || publicUrl !== undefined;
    this.loginNeeded = isReachable || requireLogin || this.#tokens.read !== undefined;
    const { change, read } = this.#tokens;
    if (this.loginNeeded && change === undefined && read === undefined) throw tokenNeeded(options);
  }

  /** Cookies go over TLS only, where people come by TLS. */
  get secureCookies(): boolean {
    return this.#publicUrl?.protocol === 'https:';
  }

  /** Throws 403 `bad_host` for a call by a name that is not ours. Holds for every call. */
  checkHost({ headers, socket }: FastifyRequest): void {
    const name = hostName(headers.host);
    const isOurs =
      name !== undefined && (isLoopback(name) || this.#names.has(name) || isOwnAddress(name, socket.localAddress));
    if (isOurs) return;
    throw new HttpError(403, 'bad_host', {
      message: 'This server does not answer to that host name.',
      remedy: 'Open it by its address, or start it with --name or --public-url for the name that you use.',
    });
  }

  /** Throws 403 `bad_origin` for a change that a page of another origin asks for. */
  checkOrigin({ headers }: FastifyRequest): void {
    const { origin } = headers;
    const isOurs = origin === undefined || this.#isOurs(origin, headers.host);
    if (isOurs && headers['sec-fetch-site'] !== 'cross-site') return;
    throw new HttpError(403, 'bad_origin', { message: 'A page of another origin asked for this.' });
  }

  /** Throws 401 or 429 unless the caller may read. */
  async checkReading(request: FastifyRequest): Promise<void> {
    if (!this.loginNeeded) return;
    const bearer = bearerOf(request);
    if (bearer !== undefined) await this.checkToken(bearer, request.ip);
    else if (this.sessionOf(request) === undefined) throw loginNeeded();
  }

  /** Throws 401, 403 or 429 unless the caller may change something. */
  async checkChange(request: FastifyRequest): Promise<void> {
    if (!this.loginNeeded) return;
    const bearer = bearerOf(request);
    if (bearer !== undefined) {
      if ((await this.checkToken(bearer, request.ip)) !== 'changing') throw readOnly();
      return;
    }
    const session = this.sessionOf(request);
    if (session === undefined) throw loginNeeded();
    if (!secretEquals(csrfOf(request), session.csrf)) {
      throw new HttpError(403, 'bad_csrf', {
        message: 'The header X-Curlew-CSRF is missing or not that of the session.',
      });
    }
    if (session.level !== 'changing') throw readOnly();
  }

  /** What the token allows. Throws 401 `invalid_token`, and 429 `too_many_attempts` for who was wrong too often. */
  async checkToken(given: string, address: string): Promise<Session['level']> {
    const level = levelOf(this.#tokens, given);
    if (level !== undefined) return level;
    const tooMany = await this.wrongTokens.count(given, address);
    throw tooMany ?? new HttpError(401, 'invalid_token', { message: 'That is not the token.' }, BEARER);
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

function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}

function csrfOf({ headers, body }: FastifyRequest): string {
  const header = headers['x-curlew-csrf'];
  if (typeof header === 'string') return header;
  return typeof body === 'object' && body !== null && 'csrf' in body ? String(body.csrf) : '';
}

function loginNeeded(): HttpError {
  return new HttpError(
    401,
    'login_needed',
    {
      message: 'You are not logged in.',
      remedy: 'Log in, or send the header Authorization: Bearer with the token of the server.',
    },
    BEARER,
  );
}

function readOnly(): HttpError {
  return new HttpError(403, 'read_only', {
    message: 'This changes something, and the token only allows reading.',
    remedy: 'Log out and log in with the token in CURLEW_TOKEN, or send that one.',
  });
}

function tokenNeeded({ host, publicUrl }: AccessOptions): CurlewError {
  const why = !isLoopback(host)
    ? `Others can reach ${host}`
    : publicUrl !== undefined
      ? 'With --public-url others can reach it'
      : 'A login is required';
  return new CurlewError(ErrorCode.usage, `${why}, and there is no token to tell who may use it.`, {
    remedy: 'Set CURLEW_TOKEN to a long random text, such as openssl rand -hex 32 prints; or listen on 127.0.0.1.',
  });
}
