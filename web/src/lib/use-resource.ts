// Something loaded from the server. While it is loaded anew, and when that fails, what was there stays: nothing blinks. The
// last answers are remembered, so that a page one comes back to is there at once.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf, RouteName } from '../../../src/server/contract/routes.ts';
import { type ApiError, get, onChange } from './api.ts';

export interface Resource<T> {
  readonly data: T | undefined;
  /** Of the last attempt. */
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** When the data was asked for, as `performance.now()` tells it: what was told before that is in it. */
  readonly askedAt: number;
  /** Loads anew, at most one at a time. */
  readonly reload: () => void;
}

const REMEMBERED = 30;
const remembered = new Map<string, unknown>();
onChange(() => remembered.clear());

/** Null: nothing is loaded. */
export function useResource<Name extends RouteName>(path: string | null): Resource<AnswerOf<Name>> {
  type Data = AnswerOf<Name>;
  const [state, setState] = useState<{
    path: string | null;
    data: Data | undefined;
    error: ApiError | undefined;
    askedAt: number;
  }>({
    path: null,
    data: undefined,
    error: undefined,
    askedAt: 0,
  });
  const [round, setRound] = useState(0);
  const [loading, setLoading] = useState(path !== null);
  const busy = useRef(false);
  const again = useRef(false);

  useEffect(() => {
    if (path === null) return;
    const cancel = new AbortController();
    busy.current = true;
    setLoading(true);
    const askedAt = performance.now();
    get<Name>(path, cancel.signal)
      .then(
        (data) => {
          // Of a page that was left: it would take the place of what is shown now.
          if (cancel.signal.aborted) return;
          remember(path, data);
          setState({ path, data: data as Data, error: undefined, askedAt });
        },
        (error: ApiError) => {
          if (!cancel.signal.aborted) setState((before) => ({ ...before, path, error }));
        },
      )
      .finally(() => {
        if (cancel.signal.aborted) return;
        busy.current = false;
        setLoading(false);
        if (again.current) {
          again.current = false;
          setRound((value) => value + 1);
        }
      });
    return () => cancel.abort();
  }, [path, round]);

  const reload = useCallback(() => {
    if (busy.current) again.current = true;
    else setRound((value) => value + 1);
  }, []);

  const isCurrent = state.path === path;
  const known = path === null ? undefined : (remembered.get(path) as Data | undefined);
  const data = isCurrent ? (state.data ?? known) : known;
  return { data, error: isCurrent ? state.error : undefined, loading, askedAt: isCurrent ? state.askedAt : 0, reload };
}

function remember(path: string, data: unknown): void {
  remembered.delete(path);
  remembered.set(path, data);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}
