// Sessions are isolated by name: what a site sets in one is never sent in another. All of them are saved with the run.

import type { HeaderList } from '../outcome.ts';
import { CookieJar, type SavedCookies } from './cookie-jar.ts';

/** Plain JSON: session name → its cookies. Sessions without cookies are left out. */
export type SavedSessions = Readonly<Record<string, SavedCookies>>;

export class Sessions {
  readonly #jars = new Map<string, CookieJar>();

  /** The value of the `Cookie` header that this session sends to `url`; undefined when there is none. */
  cookieHeader(session: string, url: URL): string | undefined {
    return this.#jars.get(session)?.headerFor(url);
  }

  /** Takes the cookies an answer sets. True when the session changed and should be saved. */
  take(session: string, url: URL, headers: HeaderList): boolean {
    const known = this.#jars.get(session);
    if (known !== undefined) return known.take(url, headers);
    const jar = new CookieJar();
    const changed = jar.take(url, headers);
    if (changed) this.#jars.set(session, jar);
    return changed;
  }

  /** The cookies of one session; undefined while it has none. */
  savedOf(session: string): SavedCookies | undefined {
    return this.#jars.get(session)?.save();
  }

  save(): SavedSessions {
    const saved = [...this.#jars].map(([name, jar]) => [name, jar.save()] as const);
    return Object.fromEntries(saved.filter((entry): entry is [string, SavedCookies] => entry[1] !== undefined));
  }

  static restore(saved: SavedSessions): Sessions {
    const sessions = new Sessions();
    for (const [name, cookies] of Object.entries(saved)) sessions.#jars.set(name, CookieJar.restore(cookies));
    return sessions;
  }
}
