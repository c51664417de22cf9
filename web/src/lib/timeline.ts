// The buckets of a run's timeline as columns that a chart can draw: verdicts stacked on each other, so that the height of a
// column is all that was settled in that time.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { VERDICT_ORDER, type VerdictName } from './verdicts.ts';

type Timeline = AnswerOf<'runTimeline'>;

export interface StackedTimeline {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** From the tallest, which is drawn first, to the lowest. Without verdicts that never occur. */
  readonly layers: readonly { readonly verdict: VerdictName; readonly tops: readonly number[] }[];
}

/** What is asked for again counts as negative; a chart cannot show that, so such a bucket shows nothing. */
export function stackTimeline({ buckets }: Timeline): StackedTimeline {
  const verdicts = VERDICT_ORDER.filter(
    (verdict) => verdict !== 'pending' && buckets.some((bucket) => bucket[verdict] > 0),
  );
  const tops = buckets.map(() => 0);
  const layers = verdicts.map((verdict) => {
    buckets.forEach((bucket, at) => {
      tops[at] = (tops[at] ?? 0) + Math.max(0, bucket[verdict]);
    });
    return { verdict, tops: [...tops] };
  });
  return { times: buckets.map(({ at }) => Date.parse(at) / 1_000), layers: layers.reverse() };
}
