// Decides whether workers take no more URLs because their pages could not be stored, and says why.

import type { OutboxLevel } from './outbox.ts';

/** Not resumed at once below a limit, or it would stutter around it. */
const RESUME_BELOW = 0.9;

export interface PauseFacts {
  readonly level: OutboxLevel;
  readonly isPaused: boolean;
  /** Pages that were fetched and refused by the outbox, and wait for room. */
  readonly refusedPages: number;
}

/** Undefined when there is room. */
export function pauseReason({ level, isPaused, refusedPages }: PauseFacts): string | undefined {
  const { events, mostEvents, bytes, room } = level;
  const part = isPaused ? RESUME_BELOW : 1;
  if (room.kind === 'none') return room.reason;
  if (events >= mostEvents * part) return `${events} events wait to be published, of ${mostEvents} that may`;
  if (room.kind === 'unlimited') return undefined;
  if (bytes < room.bytes * part && refusedPages === 0) return undefined;
  const inWords = (count: number) => `${(count / 1024 / 1024).toFixed(1)} MB`;
  return `${inWords(bytes)} of pages wait to be published, of ${inWords(room.bytes)} that may: ${room.reason}`;
}
