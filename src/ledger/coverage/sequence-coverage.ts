// A sequence is complete when its walk came to its own end and every id has an answer.

import type { WalkSummary } from '../summarise-walks.ts';
import { type EntryCoverage, withoutZeros } from './entry-coverage.ts';

export function sequenceCoverage(entry: string, walk: WalkSummary): EntryCoverage {
  const { hits, absent, duplicate, skipped = 0, failed = 0, blocked, unknown, pending = 0, probes } = walk;
  const unanswered = failed + blocked + unknown;
  return {
    entry,
    kind: 'sequence',
    complete: walk.finished && unanswered === 0,
    expected: probes,
    // An id that leads to a request the run has already is left out on purpose.
    verdicts: withoutZeros({ done: hits, absent, skipped: skipped + duplicate, failed, blocked, unknown, pending }),
    statement: `${asked(walk)}, ${ending(walk, unanswered)}`,
  };
}

function asked({ hits, absent, probes }: WalkSummary): string {
  const exist = `${hits} ${hits === 1 ? 'exists' : 'exist'}`;
  return `${probes} ${probes === 1 ? 'id' : 'ids'} asked for, ${exist}, ${absent} ${absent === 1 ? 'does' : 'do'} not`;
}

function ending({ finished, endedBy, highestHit, plus, definite }: WalkSummary, unanswered: number): string {
  if (unanswered > 0) return `${unanswered} without a usable answer`;
  if (endedBy === 'budget') return 'ended by its budget; there may be more';
  if (!finished) return 'not asked to its end';
  if (plus === 0) return `all from ${definite[0]} to ${definite[1]}`;
  return highestHit === null ? 'nothing was found' : `none in the ${plus} after ${Math.max(highestHit, definite[1])}`;
}
