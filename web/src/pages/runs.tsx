// Every run there is, newest first.

import type { RunRow } from '../../../src/server/contract/runs.ts';
import { formatCount, formatDuration } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { badOf } from '../lib/verdicts.ts';
import { HealthBadge, StateBadge } from '../parts/badge.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Choice, SearchBox } from '../parts/search-box.tsx';
import { Coverage } from '../parts/verdict-bar.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { When } from '../parts/when.tsx';

const KINDS = ['scraper', 'site', 'mirror', 'replay', 'fetch'];
const STATES = ['running', 'killed', 'completed', 'interrupted', 'aborted', 'failed'];

const COLUMNS: readonly Column<RunRow>[] = [
  {
    label: 'Run',
    cell: (run) => (
      <>
        <Link to={`/runs/${run.id}`}>{run.name}</Link>{' '}
        <span class="faint">
          #{run.id} {run.kind}
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
  { label: 'Problems', align: 'end', cell: ({ counts }) => formatCount(badOf(counts)) },
  { label: 'Records', align: 'end', cell: ({ records }) => formatCount(records) },
  { label: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
  { label: 'Worked', align: 'end', cell: ({ activeMs }) => formatDuration(activeMs) },
];

export function Runs() {
  const [query, change] = useQuery();
  const kind = query.get('kind') ?? '';
  const state = query.get('state') ?? '';
  const search = query.get('search') ?? '';
  const keyset = useKeyset<RunRow>(`/api/runs${queryOf({ kind, state, search })}`);
  return (
    <Page
      title="Runs"
      actions={
        <button type="button" onClick={keyset.reload}>
          Refresh
        </button>
      }
    >
      <div class="filters" role="search">
        <SearchBox
          label="Search"
          placeholder="part of its name"
          value={search}
          search={(text) => change({ search: text })}
        />
        <Choice
          label="Kind"
          value={kind}
          options={[['', 'all'], ...pairs(KINDS)]}
          choose={(value) => change({ kind: value })}
        />
        <Choice
          label="State"
          value={state}
          options={[['', 'all'], ...pairs(STATES)]}
          choose={(value) => change({ state: value })}
        />
      </div>
      <VirtualTable
        label="Runs"
        noun="run"
        layout="grid-runs"
        keyset={keyset}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <Empty title={search + kind + state === '' ? 'Nothing has been run here yet' : 'No run fits'}>
            <p>
              <Link to="/start">Start a run</Link>
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

function pairs(values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [value, value]);
}
