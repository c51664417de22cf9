// What stands of a run in a table of runs.

import type { RunRow } from '../../../src/server/contract/runs.ts';
import { formatCount, formatDuration, formatRate } from '../lib/format.ts';
import { HealthBadge, StateBadge } from './badge.tsx';
import type { Column } from './column.ts';
import { Link } from './link.tsx';
import { BadCount, Coverage } from './verdict-bar.tsx';
import { When } from './when.tsx';

export const RUN_COLUMNS: readonly Column<RunRow>[] = [
  {
    label: 'Run',
    cell: (run) => (
      <>
        <Link to={`/runs/${run.id}`}>{run.name}</Link>
        <span class="faint">
          {' '}
          #{run.id} {run.kind}
          {run.mode === null ? '' : `, ${run.mode}`}
          {run.replayOf === null ? '' : ` of #${run.replayOf}`}
        </span>
      </>
    ),
  },
  {
    label: 'State',
    keep: true,
    cell: (run) => (
      <span class="badges">
        <StateBadge state={run.state} />
        <HealthBadge health={run.health} />
      </span>
    ),
  },
  { label: 'Settled', keep: true, cell: ({ counts }) => <Coverage counts={counts} /> },
  { label: 'Problems', align: 'end', cell: ({ counts }) => <BadCount counts={counts} /> },
  { label: 'Found', align: 'end', cell: ({ downloads, records }) => formatCount(downloads?.downloaded ?? records) },
  {
    label: 'Rate',
    align: 'end',
    cell: ({ perSecond }) => (perSecond === null ? <span class="faint">–</span> : formatRate(perSecond)),
  },
  {
    label: 'Worked',
    align: 'end',
    cell: ({ activeMs }) => (activeMs === 0 ? <span class="faint">–</span> : formatDuration(activeMs)),
  },
  { label: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
];
