// Whether a table is too wide for the place it has, so that its rows are to be drawn as cards.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useMedia } from './use-media.ts';

/** Always on a phone; elsewhere when the table sticks out, until there is as much room as it needed then. */
export function useNarrow(table: RefObject<HTMLTableElement | null>): boolean {
  const isPhone = useMedia('(max-width: 700px)');
  const needed = useRef(0);
  const [isTooWide, setTooWide] = useState(false);
  useLayoutEffect(() => {
    const place = table.current?.parentElement;
    if (place == null) return;
    const look = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(place);
      const room = place.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      setTooWide((before) => {
        if (before) return room < needed.current;
        needed.current = table.current?.offsetWidth ?? 0;
        return needed.current > Math.ceil(room);
      });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return isPhone || isTooWide;
}
