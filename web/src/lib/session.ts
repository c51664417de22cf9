// Whether this browser may change things. Looking needs no login; a change without one leads to the login page and back.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { ApiError, get, post, remove, setCsrf } from './api.ts';
import { navigate } from './navigation.ts';
import { createStore } from './store.ts';

type Session = AnswerOf<'session'>;

const session = createStore<Session | undefined>(undefined);
/** Undefined until it is known. */
export const useSession = session.use;

export async function loadSession(): Promise<void> {
  const known = await get<'session'>('/api/session');
  setCsrf(known.csrf);
  session.set(known);
}

export async function logIn(token: string): Promise<void> {
  await post<'login'>('/api/session', { token });
  await loadSession();
}

export async function logOut(): Promise<void> {
  await remove<'logout'>('/api/session');
  await loadSession();
}

/** Runs a change; when a login is needed goes there, to come back to this page. */
export async function withLogin<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    navigate(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    return undefined;
  }
}
