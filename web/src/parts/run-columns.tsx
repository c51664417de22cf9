// What stands of a run in a table of runs.

import type { RunRow } from '../../../src/server/contract/runs.ts';
import { formatClock, formatCount, formatDuration, formatRate, formatShare } from '../lib/format.ts';
import { timeLeftInWords } from '../lib/time-left.ts';
import { badOf, settledOf, totalOf } from '../lib/verdicts.ts';
import { HealthBadge, StateBadge } from './badge.tsx';
import type { Column } from './column.ts';
import { Link } from './link.tsx';
import { BadCount, Coverage } from './verdict-bar.tsx';
import { When } from './when.tsx';

/** What stands beside the name of a run. */
function kindOf({ id, kind, mode, replayOf }: RunRow): string {
  return `#${id} ${kind}${mode === null ? '' : `, ${mode}`}${replayOf === null ? '' : ` of #${replayOf}`}`;
}

export const RUN_COLUMNS: readonly Column<RunRow>[] = [
  {
    label: 'Run',
    text: (run) => `${run.name} ${kindOf(run)}`,
    cell: (run) => (
      <>
        <Link to={`/runs/${run.id}`}>{run.name}</Link>
        <span class="faint"> {kindOf(run)}</span>
      </>
    ),
  },
  {
    label: 'State',
    keep: true,
    // With room for the edges of the badges.
    text: ({ state, health }) => `${state} ${health ?? ''}            `,
    cell: (run) => (
      <span class="badges">
        <StateBadge state={run.state} />
        <HealthBadge health={run.health} />
      </span>
    ),
  },
  {
    label: 'Settled',
    keep: true,
    text: ({ counts }) => `${' '.repeat(30)}${formatShare(settledOf(counts), totalOf(counts))}`,
    cell: ({ counts }) => <Coverage counts={counts} />,
  },
  {
    label: 'Problems',
    align: 'end',
    text: ({ counts, otherProblems }) => formatCount(badOf(counts) + otherProblems),
    cell: ({ counts, otherProblems }) => <BadCount counts={counts} others={otherProblems} />,
  },
  {
    label: 'Found',
    align: 'end',
    text: ({ downloads, records }) => formatCount(downloads?.downloaded ?? records),
    cell: ({ downloads, records }) => formatCount(downloads?.downloaded ?? records),
  },
  {
    label: 'Started',
    text: ({ startedAt }) => formatClock(startedAt, Date.now()),
    cell: ({ startedAt }) => <When at={startedAt} />,
  },
  {
    label: 'Worked',
    align: 'end',
    text: ({ activeMs }) => (activeMs === 0 ? '' : formatDuration(activeMs)),
    cell: ({ activeMs }) => (activeMs === 0 ? <span class="faint">–</span> : formatDuration(activeMs)),
  },
  {
    label: 'Rate',
    align: 'end',
    text: ({ perSecond }) => (perSecond === null ? '' : formatRate(perSecond)),
    cell: ({ perSecond }) => (perSecond === null ? <span class="faint">–</span> : formatRate(perSecond)),
  },
  {
    label: 'Left',
    align: 'end',
    text: ({ timeLeft }) => (timeLeft === null ? '' : timeLeftInWords(timeLeft)),
    cell: ({ timeLeft }) =>
      timeLeft?.ms == null ? (
        <span class="faint" title={timeLeft === null ? undefined : timeLeftInWords(timeLeft)}>
          –
        </span>
      ) : (
        timeLeftInWords(timeLeft)
      ),
  },
];
