// What a page that waits to be published takes in Redis: its content, and about this much for its event and its place.

import type { WebpageEvent } from '../webpage-event.ts';

const EVENT_BYTES = 1_536;

export function pageBytes({ content_length: contentBytes }: WebpageEvent): number {
  return contentBytes + EVENT_BYTES;
}
