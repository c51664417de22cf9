// A value that parts of the page watch. Setting it draws those parts anew.

import { useEffect, useState } from 'preact/hooks';

export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** The value, in a component. */
  use(): T;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const watcher of [...watchers]) watcher();
    },
    use() {
      const [known, setKnown] = useState(() => value);
      useEffect(() => {
        const watcher = () => setKnown(() => value);
        watchers.add(watcher);
        // It may have changed between drawing and now.
        watcher();
        return () => {
          watchers.delete(watcher);
        };
      }, []);
      return known;
    },
  };
}
