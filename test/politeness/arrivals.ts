// How near requests came to each other. A machine that is busy with other things may hold up a request on its way, so that it
// arrives close to its successor: what counts is when requests left, and at the server only those that came at once.

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

/** The most that left within any second. */
export function fullestSecond(leftAt: ReadonlyMap<string, number | undefined>): number {
  const times = [...leftAt.values()].filter((at) => at !== undefined);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
}

/** The gaps between requests in the order in which they left. */
export function gapsLeft(leftAt: ReadonlyMap<string, number | undefined>): number[] {
  const times = [...leftAt.values()].filter((at) => at !== undefined).sort((one, other) => one - other);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}
