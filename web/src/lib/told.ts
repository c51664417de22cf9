// What was told of a run, beside what was loaded of it. An answer may be on its way while something is told: it does not know
// of that, and must not undo it.

import type { RunRow } from '../../../src/server/contract/runs.ts';

/** What was told of a run, and when it was, as `performance.now()` tells it. */
export interface Told {
  readonly run: RunRow;
  readonly at: number;
}

/** What was told, unless it was before the answer was asked for, which then is newer. */
export function toldSince(askedAt: number, told: Told | undefined): RunRow | undefined {
  return told !== undefined && told.at >= askedAt ? told.run : undefined;
}
