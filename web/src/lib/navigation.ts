// Where we are. Links within the dashboard change the address without loading a page; the focus then goes to the new
// page's heading, as it would after a real load.

import { createStore } from './store.ts';

interface Place {
  readonly pathname: string;
  readonly search: string;
}

const place = createStore<Place>(here());
export const usePlace = place.use;

export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  place.set(here());
}

addEventListener('popstate', () => place.set(here()));

function here(): Place {
  return { pathname: location.pathname, search: location.search };
}

/** The query of this page, and a function that changes parts of it in place. */
export function useQuery(): [URLSearchParams, (changes: Readonly<Record<string, string | undefined>>) => void] {
  const { pathname, search } = usePlace();
  const change = (changes: Readonly<Record<string, string | undefined>>) => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') query.delete(name);
      else query.set(name, value);
    }
    navigate(query.size === 0 ? pathname : `${pathname}?${query}`, { replace: true });
  };
  return [new URLSearchParams(search), change];
}
