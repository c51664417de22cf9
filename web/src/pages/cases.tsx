// Every case of a mirrored source and whether it is held.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import { formatBytes, formatDate } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { VerdictBadge } from '../parts/badge.tsx';
import { FileLink } from '../parts/file-link.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Choice, SearchBox } from '../parts/search-box.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

const STATES: readonly CaseListRow['state'][] = [
  'held',
  'failed',
  'skipped',
  'pending',
  'in_progress',
  'never_tried',
  'file_missing',
  'not_wanted',
];

const COLUMNS: readonly Column<CaseListRow>[] = [
  {
    label: 'Title',
    sort: 'title',
    cell: (row) => <Link to={casePath(row)}>{row.title ?? row.token}</Link>,
  },
  {
    label: 'State',
    keep: true,
    sort: 'state',
    cell: (row) => (
      <span class="badges">
        <VerdictBadge verdict={row.state} />
        {row.reason !== null && row.state !== 'held' && <span class="faint">{row.reason}</span>}
      </span>
    ),
  },
  { label: 'Judgment', sort: 'judgmentDate', cell: (row) => formatDate(row.judgmentDate ?? '') },
  { label: 'Cause', sort: 'causeNumber', cell: (row) => row.causeNumber ?? '' },
  { label: 'Court', sort: 'court', cell: (row) => row.court ?? '' },
  {
    label: 'Size',
    sort: 'sizeBytes',
    align: 'end',
    cell: (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes)),
  },
  { label: 'File', keep: true, cell: (row) => <FileLink row={row} /> },
];

export function casePath({ source, token }: Pick<CaseListRow, 'source' | 'token'>): string {
  return `/cases/${encodeURIComponent(source)}/${encodeURIComponent(token)}`;
}

export function Cases() {
  const [query, change] = useQuery();
  const value = (name: string) => query.get(name) ?? '';
  const sort = value('sort') || 'judgmentDate';
  const order = value('order') === 'asc' ? 'asc' : 'desc';
  const filter = Object.fromEntries(['source', 'state', 'run', 'search'].map((name) => [name, value(name)]));
  const keyset = useKeyset<CaseListRow>(`/api/cases${queryOf({ ...filter, sort, order })}`);
  const isFiltered = Object.values(filter).some((given) => given !== '');
  return (
    <Page
      title="Cases"
      lede="What the index of the mirrored source lists, and whether its file is held."
      actions={
        <button type="button" onClick={keyset.reload}>
          Refresh
        </button>
      }
    >
      <div class="filters" role="search">
        <SearchBox
          label="Search"
          placeholder="title, cause number, court, token or reason"
          value={value('search')}
          search={(text) => change({ search: text })}
        />
        <Choice
          label="State"
          value={value('state')}
          options={[['', 'all'], ...STATES.map((state) => [state, state.replaceAll('_', ' ')] as const)]}
          choose={(state) => change({ state })}
        />
        {['run', 'source'].map(
          (name) =>
            value(name) !== '' && (
              <button
                key={name}
                type="button"
                class="chip"
                onClick={() => change({ [name]: undefined })}
                aria-label={`Remove the filter ${name}: ${value(name)}`}
              >
                {name}: {value(name)} ✕
              </button>
            ),
        )}
      </div>
      <VirtualTable
        label="Cases"
        noun="case"
        layout="grid-cases"
        keyset={keyset}
        columns={COLUMNS}
        sorting={{ by: sort, order, change: (by, next) => change({ sort: by, order: next }) }}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty title="No case fits">
              <p>Search for less, or remove a filter.</p>
            </Empty>
          ) : (
            <Empty title="No index has been read yet">
              <p>
                Cases come from the index of a court that is mirrored. <Link to="/start">Start a run of a mirror</Link>{' '}
                to read it.
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
