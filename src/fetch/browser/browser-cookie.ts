// Cookies on their way between the run's jar, which is the truth, and Chromium, which holds a copy during a load.
// What a load changed comes back as changes only, so that loads at the same time do not undo each other's.

import type { BrowserContext, Cookie } from 'playwright-core';
import type { Instant } from '../../platform/clock.ts';
import type { SavedCookies } from '../session/cookie-jar.ts';

/** A cookie (RFC 6265 §5.3). Plain data. */
export interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  /** A leading dot means: subdomains too. Without it, this host only. */
  readonly domain: string;
  readonly path: string;
  /** Undefined: until the session ends. In the past: the cookie is gone. */
  readonly expires: Instant | undefined;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: 'strict' | 'lax' | 'none' | undefined;
}

/** The cookies of a saved jar that have not expired, for `BrowserRequest.cookies`. */
export function cookiesOf(saved: SavedCookies, now: Instant): readonly BrowserCookie[] {
  const cookies = saved.cookies.map((cookie): BrowserCookie => {
    const { key, value, domain, path, hostOnly, secure, httpOnly, sameSite } = cookie;
    return {
      name: textOf(key),
      value: textOf(value),
      domain: hostOnly === true ? textOf(domain) : `.${textOf(domain)}`,
      path: textOf(path) || '/',
      expires: expiryOf(cookie),
      secure: secure === true,
      httpOnly: httpOnly === true,
      sameSite: sameSiteOf(textOf(sameSite)),
    };
  });
  return cookies.filter(({ expires }) => expires === undefined || expires > now);
}

/** The cookie as an answer's `Set-Cookie` field, with a URL that may set it: what `CookieJar.take` wants. */
export function setCookieField(cookie: BrowserCookie): { readonly url: URL; readonly value: string } {
  const { name, value, domain, path, expires, secure, httpOnly, sameSite } = cookie;
  const host = domain.startsWith('.') ? domain.slice(1) : domain;
  const parts = [`${name}=${value}`, `Path=${path}`];
  if (domain.startsWith('.')) parts.push(`Domain=${host}`);
  if (expires !== undefined) parts.push(`Expires=${new Date(expires).toUTCString()}`);
  if (secure) parts.push('Secure');
  if (httpOnly) parts.push('HttpOnly');
  if (sameSite !== undefined) parts.push(`SameSite=${SAME_SITE[sameSite]}`);
  return { url: new URL(`${secure ? 'https' : 'http'}://${host}${path}`), value: parts.join('; ') };
}

/** Puts these cookies, and no others, into a context. Those that Chromium does not take are left out. */
export async function setCookies(context: BrowserContext, cookies: readonly BrowserCookie[]): Promise<void> {
  await context.clearCookies();
  const asked = cookies.map(toChromium);
  if (asked.length === 0) return;
  try {
    await context.addCookies(asked);
  } catch {
    // One that is not valid spoils them all.
    for (const cookie of asked) await context.addCookies([cookie]).catch(() => {});
  }
}

/** What a context holds now. */
export async function readCookies(context: BrowserContext): Promise<readonly BrowserCookie[]> {
  return (await context.cookies()).map(fromChromium);
}

/** What turns `before` into `after`: new and changed cookies, and those that went, with an expiry in 1970. */
export function cookieChanges(
  before: readonly BrowserCookie[],
  after: readonly BrowserCookie[],
): readonly BrowserCookie[] {
  const old = new Map(before.map((cookie) => [identity(cookie), cookie]));
  const left = new Set(after.map(identity));
  const set = after.filter((cookie) => !isSame(cookie, old.get(identity(cookie))));
  const gone = before.filter((cookie) => !left.has(identity(cookie)));
  return [...set, ...gone.map((cookie) => ({ ...cookie, value: '', expires: 0 }))];
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

function identity({ name, domain, path }: BrowserCookie): string {
  return JSON.stringify([name, domain, path]);
}

// Chromium keeps expiry dates in its own precision and caps them; a changed date alone is no reason to write.
function isSame(cookie: BrowserCookie, other: BrowserCookie | undefined): boolean {
  return (
    other !== undefined &&
    cookie.value === other.value &&
    cookie.secure === other.secure &&
    cookie.httpOnly === other.httpOnly
  );
}

function toChromium({ name, value, domain, path, expires, secure, httpOnly, sameSite }: BrowserCookie) {
  return {
    name,
    value,
    domain,
    path,
    expires: expires === undefined ? -1 : expires / 1000,
    secure,
    httpOnly,
    // Chromium refuses `None` on a cookie that is not secure; left out, it means what the site got so far.
    ...(sameSite !== undefined && (sameSite !== 'none' || secure) && { sameSite: SAME_SITE[sameSite] }),
  };
}

function fromChromium({ name, value, domain, path, expires, secure, httpOnly, sameSite }: Cookie): BrowserCookie {
  const when = expires === -1 ? undefined : Math.round(expires * 1000);
  return { name, value, domain, path, expires: when, secure, httpOnly, sameSite: sameSiteOf(sameSite) };
}

// tough-cookie leaves the fields of a saved cookie untyped.
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sameSiteOf(text: string): BrowserCookie['sameSite'] {
  const lower = text.toLowerCase();
  return lower === 'strict' || lower === 'lax' || lower === 'none' ? lower : undefined;
}

// RFC 6265 §5.3: Max-Age wins over Expires. Times are stored as ISO dates, their absence as `Infinity` or not at all.
function expiryOf({ maxAge, creation, expires }: SavedCookies['cookies'][number]): Instant | undefined {
  if (typeof maxAge === 'number' && typeof creation === 'string') return Date.parse(creation) + maxAge * 1000;
  if (maxAge === '-Infinity') return 0;
  const at = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
