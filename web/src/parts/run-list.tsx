// Runs as a table; on a phone as cards.

import type { RunRow } from '../../../src/server/contract/runs.ts';
import { formatCount, formatDuration, formatRate } from '../lib/format.ts';
import { HealthBadge, StateBadge } from './badge.tsx';
import { Link } from './link.tsx';
import { Coverage } from './verdict-bar.tsx';
import { When } from './when.tsx';

export function RunList({ runs, label }: { readonly runs: readonly RunRow[]; readonly label: string }) {
  return (
    <table class="cards runs">
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">State</th>
          <th scope="col" class="runs-coverage">
            Settled
          </th>
          <th scope="col" class="is-end">
            Problems
          </th>
          <th scope="col" class="is-end">
            Found
          </th>
          <th scope="col" class="is-end">
            Rate
          </th>
          <th scope="col" class="is-end">
            Worked
          </th>
          <th scope="col">Started</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ run }: { readonly run: RunRow }) {
  const { counts } = run;
  const bad = counts.failed + counts.blocked + counts.unknown;
  return (
    <tr>
      <th scope="row" class="runs-name">
        <Link to={`/runs/${run.id}`}>{run.name}</Link>
        <span class="faint">
          {' '}
          #{run.id} {run.kind}
          {run.mode === null ? '' : `, ${run.mode}`}
          {run.replayOf === null ? '' : ` of #${run.replayOf}`}
        </span>
      </th>
      <td data-label="State" class="runs-wide">
        <span class="badges">
          <StateBadge state={run.state} />
          <HealthBadge health={run.health} />
        </span>
      </td>
      <td data-label="Settled" class="runs-coverage runs-wide">
        <Coverage counts={counts} />
      </td>
      <td data-label="Problems" class={bad > 0 ? 'is-end is-bad' : 'is-end'}>
        {formatCount(bad)}
      </td>
      <td data-label={run.downloads === null ? 'Records' : 'Files'} class="is-end">
        {formatCount(run.downloads?.downloaded ?? run.records)}
      </td>
      <td data-label="Rate" class="is-end">
        {run.perSecond === null ? <span class="faint">–</span> : formatRate(run.perSecond)}
      </td>
      <td data-label="Worked" class="is-end">
        {run.activeMs === 0 ? <span class="faint">–</span> : formatDuration(run.activeMs)}
      </td>
      <td data-label="Started" class="runs-wide">
        <When at={run.startedAt} />
      </td>
    </tr>
  );
}
