// The cookies of one session (RFC 6265 by tough-cookie, public suffixes rejected). A session that never got a cookie
// costs nothing; a site that sets too many loses its oldest, as in browsers.

import { type Cookie, type SerializedCookieJar, CookieJar as ToughJar } from 'tough-cookie';
import { headerValues } from '../http/header-list.ts';
import type { HeaderList } from '../outcome.ts';

/** Plain JSON, to be stored with the run. */
export type SavedCookies = SerializedCookieJar;

const MOST_COOKIES_PER_HOST = 180;
const LONGEST_COOKIE_BYTES = 4096;

export class CookieJar {
  #jar: ToughJar | undefined;

  /** The value of the `Cookie` header for this URL; undefined when there is none to send. */
  headerFor(url: URL): string | undefined {
    return this.#jar?.getCookieStringSync(url.href) || undefined;
  }

  /** Takes the `Set-Cookie` fields of an answer from `url`; broken or forbidden ones are ignored. True if it took any. */
  take(url: URL, headers: HeaderList): boolean {
    const lines = headerValues(headers, 'set-cookie').filter((line) => line.length <= LONGEST_COOKIE_BYTES);
    if (lines.length === 0) return false;
    const jar = (this.#jar ??= newJar());
    const taken = lines.filter((line) => jar.setCookieSync(line, url.href, { ignoreError: true }) !== undefined);
    if (taken.length > 0) dropOldest(jar, url);
    return taken.length > 0;
  }

  /** Undefined while the session has no cookies. */
  save(): SavedCookies | undefined {
    return this.#jar?.serializeSync();
  }

  static restore(saved: SavedCookies): CookieJar {
    const jar = new CookieJar();
    jar.#jar = ToughJar.deserializeSync(saved);
    return jar;
  }
}

function newJar(): ToughJar {
  // Loose: old servers send cookies without a name, and want them back.
  return new ToughJar(undefined, { rejectPublicSuffixes: true, looseMode: true });
}

function dropOldest(jar: ToughJar, url: URL): void {
  const cookies = jar.getCookiesSync(url.href, { allPaths: true });
  const excess = cookies.length - MOST_COOKIES_PER_HOST;
  if (excess <= 0) return;
  const oldestFirst = cookies.toSorted(
    (a, b) => bornAt(a) - bornAt(b) || (a.creationIndex ?? 0) - (b.creationIndex ?? 0),
  );
  for (const { domain, path, key } of oldestFirst.slice(0, excess)) {
    // The store in memory calls back at once.
    jar.store.removeCookie(domain, path, key, () => {});
  }
}

function bornAt({ creation }: Cookie): number {
  return creation instanceof Date ? creation.getTime() : 0;
}
