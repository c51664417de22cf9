// What happens, as it happens. One stream for a page; closed while nobody looks, since a browser opens only six connections
// to a server, and resumed from the last event after that.

import { useEffect, useRef } from 'preact/hooks';
import type { RunRow, StoredEvent } from '../../../src/server/contract/runs.ts';
import { createStore } from './store.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'broken';

const liveState = createStore<LiveState>('off');
/** Whether this page gets news, for the mark in the header. */
export const useLiveState = liveState.use;

export interface LiveHandlers {
  readonly onRun?: (run: RunRow) => void;
  readonly onEvent?: (event: StoredEvent) => void;
  /** News come in from now on. A run may have moved on since it was loaded: only events are told again. */
  readonly onBegin?: () => void;
  /** Too much was missed to be told: load anew. */
  readonly onGap?: () => void;
}

/** Listens while the page is shown. `after`: the last event that is known already; undefined: not yet. */
export function useLive(run: number | undefined, after: number | undefined, handlers: LiveHandlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  const ready = after !== undefined;
  const last = useRef(after ?? 0);
  if (after !== undefined) last.current = Math.max(last.current, after);

  useEffect(() => {
    if (!ready) return;
    let source: EventSource | undefined;
    const open = () => {
      liveState.set('connecting');
      const query = new URLSearchParams({
        ...(run !== undefined && { run: String(run) }),
        after: String(last.current),
      });
      source = new EventSource(`/api/events/stream?${query}`);
      source.addEventListener('open', () => liveState.set('live'));
      source.addEventListener('error', () => liveState.set('broken'));
      source.addEventListener('hello', ({ data }) => {
        const { lastEventId, resumed } = JSON.parse(data) as { lastEventId: number; resumed: boolean };
        if (resumed) current.current.onBegin?.();
        else {
          last.current = lastEventId;
          current.current.onGap?.();
        }
      });
      source.addEventListener('run', ({ data }) => current.current.onRun?.(JSON.parse(data)));
      source.addEventListener('event', ({ data }) => {
        const event: StoredEvent = JSON.parse(data);
        last.current = event.id;
        current.current.onEvent?.(event);
      });
    };
    const close = () => {
      source?.close();
      source = undefined;
      liveState.set('off');
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') close();
      else if (source === undefined || source.readyState === EventSource.CLOSED) open();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    // A browser gives up for good after some errors, such as a refused answer: then we try again.
    const revive = setInterval(follow, 5_000);
    return () => {
      clearInterval(revive);
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [run, ready]);
}

/** Calls `act` soon after it is asked to, and then at most once in `everyMs`, however often it is asked. */
export function useThrottled(act: () => void, everyMs: number): () => void {
  const current = useRef(act);
  current.current = act;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      current.current();
    }, everyMs);
  };
}
