// What is noted of the pace of one host, as plain data, and what of it still counts.

import { z } from 'zod';
import type { Instant } from '../../platform/clock.ts';
import { LONGEST_RETRY_AFTER_MS } from '../politeness/retry-after.ts';
import { LEASE_MS, readNote } from './notes.ts';

const Pace = z.object({
  /** When the latest request of anybody left. */
  startedAt: z.number(),
  /** Nothing leaves before it (Retry-After). */
  heldUntil: z.number(),
  /** Who is about to leave, and until when that is believed. */
  turn: z.object({ caller: z.string(), until: z.number() }).optional(),
  /** Who waits, in order, and until when his place is kept. */
  line: z.array(z.object({ caller: z.string(), until: z.number() })),
});
export type Pace = z.infer<typeof Pace>;

const NO_PACE: Pace = { startedAt: 0, heldUntil: 0, line: [] };

/** How long who waits may be asleep, and how much later he may come and still find his place. */
export const LONGEST_WAIT_MS = 1_000;
export const GRACE_MS = 250;
/** Wall time is told in whole milliseconds: with one more nobody comes early. */
export const WALL_MS = 1;

/** A note that cannot be read counts as none. */
export function readPace(text: string | undefined): Pace {
  return readNote(Pace, text) ?? NO_PACE;
}

export function writePace(pace: Pace): string {
  return JSON.stringify(pace);
}

/** Without what is over, and what lies further ahead than it can: that is of a clock which was set back since. */
export function presentPace(pace: Pace, now: Instant): Pace {
  const isThere = (until: Instant, mostMs: number) => until > now && until <= now + mostMs;
  const { turn, line, heldUntil, startedAt } = pace;
  const hasTurn = turn !== undefined && isThere(turn.until, LEASE_MS);
  // Whoever did not end his turn in time is gone. His request may have left at the last moment.
  const lastStart = turn === undefined || hasTurn ? startedAt : Math.max(startedAt, turn.until);
  return {
    startedAt: Math.min(lastStart, now + WALL_MS),
    heldUntil: isThere(heldUntil, LONGEST_RETRY_AFTER_MS) ? heldUntil : 0,
    line: line.filter(({ until }) => isThere(until, LONGEST_WAIT_MS + GRACE_MS)),
    ...(hasTurn && { turn }),
  };
}

/** `caller` neither waits nor has the turn. */
export function withoutCaller({ turn, line, ...rest }: Pace, caller: string): Pace {
  const others = line.filter((waiter) => waiter.caller !== caller);
  return { ...rest, line: others, ...(turn !== undefined && turn.caller !== caller && { turn }) };
}
