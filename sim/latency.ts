// How long the site thinks before it answers: always the same, or between two bounds.

import { CurlewError, ErrorCode } from '../src/platform/errors.ts';

/** Milliseconds: one number, or `[from, to]` for a random time between. */
export type LatencyMs = number | readonly [number, number];

/** `share` is a number in [0, 1), such as Random gives. */
export function pickLatencyMs(latency: LatencyMs, share: number): number {
  if (typeof latency === 'number') return latency;
  const [from, to] = latency;
  return from + (to - from) * share;
}

/** Reads `20` or `5-40`. */
export function parseLatencyMs(text: string): LatencyMs {
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (from === undefined) {
    const remedy = 'Give milliseconds, such as 20, or a range, such as 5-40.';
    throw new CurlewError(ErrorCode.usage, `Not a latency: ${JSON.stringify(text)}.`, { remedy });
  }
  return to === undefined ? Number(from) : [Number(from), Number(to)];
}
