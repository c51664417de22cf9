// How much of a run came to what, as one bar. Whoever cannot see it is told in words.

import type { VerdictCounts } from '../../../src/server/contract/common.ts';
import { formatCount, formatShare } from '../lib/format.ts';
import { badOf, countsInWords, settledOf, totalOf, VERDICT_MEANING, VERDICT_ORDER } from '../lib/verdicts.ts';
import { Link } from './link.tsx';

export function VerdictBar({ counts }: { readonly counts: VerdictCounts }) {
  const total = totalOf(counts);
  return (
    <span class="bar" role="img" aria-label={countsInWords(counts)}>
      {VERDICT_ORDER.filter((verdict) => verdict !== 'pending' && counts[verdict] > 0).map((verdict) => (
        <span key={verdict} class={`bar-part v-${verdict}`} style={{ flexGrow: counts[verdict] }} />
      ))}
      {(counts.pending > 0 || total === 0) && <span class="bar-rest" style={{ flexGrow: counts.pending || 1 }} />}
    </span>
  );
}

/** The bar with the share that is settled beside it. */
export function Coverage({ counts }: { readonly counts: VerdictCounts }) {
  return (
    <span class="coverage">
      <VerdictBar counts={counts} />
      <span class="coverage-share">{formatShare(settledOf(counts), totalOf(counts))}</span>
    </span>
  );
}

interface BadCountProps {
  readonly counts: VerdictCounts;
  /** Problems that are no requests. */
  readonly others?: number;
}

/** How many went wrong, or may have. */
export function BadCount({ counts, others = 0 }: BadCountProps) {
  const bad = badOf(counts) + others;
  return bad > 0 ? <span class="is-bad">{formatCount(bad)}</span> : '0';
}

interface LegendProps {
  readonly counts: VerdictCounts;
  readonly linkTo: (verdict: string) => string | undefined;
}

/** What each colour means and how many there are; what there is none of is left out. */
export function VerdictLegend({ counts, linkTo }: LegendProps) {
  return (
    <ul class="legend">
      {VERDICT_ORDER.filter((verdict) => counts[verdict] > 0 || verdict === 'done').map((verdict) => {
        const to = linkTo(verdict);
        const text = (
          <>
            <b>{formatCount(counts[verdict])}</b> {verdict}
          </>
        );
        return (
          <li key={verdict} title={VERDICT_MEANING[verdict]}>
            <span class={`swatch v-${verdict}`} aria-hidden="true" />
            {to === undefined ? text : <Link to={to}>{text}</Link>}
          </li>
        );
      })}
    </ul>
  );
}
