// Browsers that have shown the token. A session is a random name in an HttpOnly cookie and a second random value that only
// our own pages can read and send back (CSRF). Sessions end after twelve hours, at logout, and with the server.

import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';

export interface Session {
  readonly id: string;
  readonly csrf: string;
  /** What the token allows that it was begun with. */
  readonly level: 'reading' | 'changing';
}

const COOKIE = 'curlew_session';
const LASTS_MS = 12 * 60 * 60 * 1000;
const MOST_SESSIONS = 1_000;

export class Sessions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #sessions = new Map<string, Session & { readonly endsAt: number }>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  begin(level: Session['level']): Session {
    const session = { id: this.#random.hex(32), csrf: this.#random.hex(32), level };
    this.#sessions.set(session.id, { ...session, endsAt: this.#clock.monotonic() + LASTS_MS });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return session;
  }

  /** The living session that a `Cookie` header names. */
  find(cookies: string | undefined): Session | undefined {
    const id = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`).exec(cookies ?? '')?.[1];
    const session = id === undefined ? undefined : this.#sessions.get(id);
    if (session === undefined || session.endsAt <= this.#clock.monotonic()) return undefined;
    return session;
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
  }

  /** `Set-Cookie` for a session; without one, to remove it. */
  cookie(session: Session | undefined, secure: boolean): string {
    const value = session === undefined ? '; Max-Age=0' : `${session.id}; Max-Age=${LASTS_MS / 1_000}`;
    return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  }
}
