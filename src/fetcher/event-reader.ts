// Reads an event log as a consumer does. Lines that are no events are passed over.

import { WebpageEvent } from './webpage-event.ts';

/** `last`: so many at least, if there are as many, and perhaps more. */
export type ReadFrom = { readonly kind: 'beginning' } | { readonly kind: 'last'; readonly count: number };

export interface EventReader {
  /** What came since the last call, from where it was told to begin; events of one URL in order. Empty at the end. */
  next(): Promise<readonly WebpageEvent[]>;
  /** Twice is fine. */
  close(): Promise<void>;
}

export function readEvent(line: string): WebpageEvent[] {
  try {
    const read = WebpageEvent.safeParse(JSON.parse(line));
    return read.success ? [read.data] : [];
  } catch {
    return [];
  }
}
