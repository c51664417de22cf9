// A list that is loaded as far as it is looked at. Another search or order replaces it when its first rows are there, not
// before; coming back to a list finds it where it was left.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, get, onChange } from './api.ts';
import { appendPage, type KeysetList, type KeysetPage, NO_ROWS, needsPage } from './keyset-list.ts';

const FIRST_PAGE = 100;
const NEXT_PAGES = 500;
const REMEMBERED = 8;

interface Kept {
  readonly list: KeysetList<unknown>;
  scrollTop: number;
}

const kept = new Map<string, Kept>();
onChange(() => kept.clear());

export interface Keyset<Row> {
  readonly list: KeysetList<Row>;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** Of another list than asked for, since that one is still on its way. */
  readonly stale: boolean;
  /** Where it was scrolled to when it was left. */
  readonly scrollTop: number;
  /** Says which rows are looked at; loads what is missing. */
  readonly show: (end: number) => void;
  readonly scrolled: (top: number) => void;
  readonly reload: () => void;
}

/** `path`: with its query, without cursor and limit. */
export function useKeyset<Row>(path: string): Keyset<Row> {
  const [state, setState] = useState<{ path: string; list: KeysetList<Row>; error: ApiError | undefined }>(() => {
    return { path, list: (kept.get(path)?.list ?? NO_ROWS) as KeysetList<Row>, error: undefined };
  });
  const [end, setEnd] = useState(0);
  const [round, setRound] = useState(0);
  const [loading, setLoading] = useState(false);
  const isCurrent = state.path === path;
  const list = isCurrent ? state.list : NO_ROWS;
  const wanted = !isCurrent || (state.error === undefined && needsPage(state.list, end));
  const cursor = list.next ?? undefined;
  const latest = useRef(path);
  latest.current = path;

  useEffect(() => {
    if (!wanted) return;
    const cancel = new AbortController();
    const limit = cursor === undefined ? FIRST_PAGE : NEXT_PAGES;
    const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
    setLoading(true);
    get(`${path}${path.includes('?') ? '&' : '?'}${query}`, cancel.signal)
      .then(
        (page) => {
          const next = appendPage(list as KeysetList<Row>, page as unknown as KeysetPage<Row>);
          keep(path, next);
          setState({ path, list: next, error: undefined });
        },
        (error: ApiError) => {
          if (!cancel.signal.aborted) setState({ path, list: list as KeysetList<Row>, error });
        },
      )
      .finally(() => {
        if (!cancel.signal.aborted) setLoading(false);
      });
    return () => cancel.abort();
  }, [path, wanted, cursor, round]);

  const reload = useCallback(() => {
    kept.delete(latest.current);
    setState(({ list: before, error }) => ({ path: '', list: before, error }));
    setRound((value) => value + 1);
  }, []);
  const scrolled = useCallback((top: number) => {
    const memory = kept.get(latest.current);
    if (memory !== undefined) memory.scrollTop = top;
  }, []);

  return {
    list: state.list,
    error: isCurrent ? state.error : undefined,
    loading: loading || !isCurrent,
    stale: !isCurrent,
    scrollTop: kept.get(path)?.scrollTop ?? 0,
    show: setEnd,
    scrolled,
    reload,
  };
}

function keep(path: string, list: KeysetList<unknown>): void {
  const scrollTop = kept.get(path)?.scrollTop ?? 0;
  kept.delete(path);
  kept.set(path, { list, scrollTop });
  const [oldest] = kept.keys();
  if (kept.size > REMEMBERED && oldest !== undefined) kept.delete(oldest);
}
