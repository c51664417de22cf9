// Whether this browser may read and change things. Where a login is needed, nothing is asked for before it.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { ApiError, get, onRefused, post, remove, setCsrf } from './api.ts';
import { navigate } from './navigation.ts';
import { createStore } from './store.ts';

type Session = AnswerOf<'session'>;

const session = createStore<Session | undefined>(undefined);
/** Undefined until it is known. */
export const useSession = session.use;

/** Whether nothing can be shown before a login. */
export function useLocked(): boolean {
  const known = session.use();
  return known?.loginNeeded === true && !known.loggedIn;
}

/** A session has ended meanwhile: what it is now decides what is shown. */
onRefused(() => void loadSession().catch(() => {}));

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
