// How near requests came to each other, as the server saw it. One that this machine, busy with other things, held up on its way
// for longer than the tolerance proves nothing about its successor.

import type { LogEntry } from '../../sim/request-log.ts';
import type { CourtProcess } from './court-process.ts';

/** What timers and the way to the server may take off a gap. */
export const TOLERANCE_MS = 5;

export function gapsOf(log: readonly LogEntry[]): number[] {
  return log.slice(1).map(({ arrivedAt }, index) => arrivedAt - (log[index]?.arrivedAt ?? 0));
}

/** The gaps after requests that came as soon as they left. `leftAt`: when each address was asked for last, in wall time. */
export function tellingGaps(
  court: CourtProcess,
  log: readonly LogEntry[],
  leftAt: ReadonlyMap<string, number | undefined>,
): number[] {
  return gapsOf(log).filter((_, index) => {
    const { path = '', wallTime = 0 } = log[index] ?? {};
    return wallTime - (leftAt.get(court.url + path) ?? Number.NEGATIVE_INFINITY) <= TOLERANCE_MS;
  });
}

/** The most that came within any second. */
export function fullestSecond(log: readonly LogEntry[]): number {
  const times = log.map(({ arrivedAt }) => arrivedAt);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
}
