// How long a run will still take, in words; why it is not told, where it is not.

import type { TimeLeft } from '../../../src/server/contract/runs.ts';
import { formatDuration } from './format.ts';

export function timeLeftInWords({ kind, ms }: TimeLeft): string {
  switch (kind) {
    case 'about':
      return `about ${rounded(ms ?? 0)}`;
    case 'at_least':
      return `at least ${rounded(ms ?? 0)}`;
    case 'growing':
      return 'not known: more is being found';
    case 'stalled':
      return 'not known: nothing was settled lately';
    case 'measuring':
      return 'not known yet';
  }
}

/** No more exact than an estimate is: whole seconds, and from two minutes on whole minutes. */
function rounded(ms: number): string {
  if (ms < 1_000) return '1 s';
  const unit = ms < 120_000 ? 1_000 : 60_000;
  return formatDuration(Math.round(ms / unit) * unit);
}
