// The requests of a run, searchable and sortable, however many there are.

import type { RequestRow } from '../../../src/server/contract/requests.ts';
import { formatCount } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { VERDICT_ORDER } from '../lib/verdicts.ts';
import { ArchivedPage } from '../parts/archived-page.tsx';
import { VerdictBadge } from '../parts/badge.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Choice, SearchBox } from '../parts/search-box.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

export function Requests({ run }: { readonly run: number }) {
  const [query, change] = useQuery();
  const value = (name: string) => query.get(name) ?? '';
  const sort = value('sort') || 'id';
  const order = value('order') === 'desc' ? 'desc' : 'asc';
  const filter = Object.fromEntries(['verdict', 'host', 'step', 'reason', 'search'].map((name) => [name, value(name)]));
  const keyset = useKeyset<RequestRow>(`/api/runs/${run}/requests${queryOf({ ...filter, sort, order })}`);
  const columns: readonly Column<RequestRow>[] = [
    {
      label: 'Address',
      sort: 'url',
      cell: (row) => (
        <Link to={`/runs/${run}/requests/${row.id}`}>
          {row.method === 'GET' ? '' : `${row.method} `}
          {row.url}
        </Link>
      ),
    },
    {
      label: 'Verdict',
      keep: true,
      sort: 'verdict',
      cell: (row) => <VerdictBadge verdict={row.verdict ?? (row.state === 'delayed' ? 'delayed' : null)} />,
    },
    { label: 'Status', sort: 'status', align: 'end', cell: (row) => row.status ?? <span class="faint">–</span> },
    { label: 'Attempts', sort: 'attempts', align: 'end', cell: (row) => formatCount(row.attempts) },
    { label: 'Reason', cell: (row) => <span title={row.reason ?? undefined}>{row.reason ?? ''}</span> },
    { label: 'Step', cell: (row) => row.step ?? '' },
    {
      label: 'Archived',
      keep: true,
      cell: (row) => row.status !== null && <ArchivedPage run={run} request={row.id} about={row.url} />,
    },
  ];
  const narrowed = ['host', 'step', 'reason'].filter((name) => value(name) !== '');
  return (
    <Page
      title="Requests"
      trail={
        <>
          <Link to="/runs">Runs</Link> / <Link to={`/runs/${run}`}>#{run}</Link> / requests
        </>
      }
      actions={
        <>
          <Link to={`/runs/${run}/records`} class="button">
            Records
          </Link>
          <button type="button" onClick={keyset.reload}>
            Refresh
          </button>
        </>
      }
    >
      <div class="filters" role="search">
        <SearchBox
          label="Search"
          placeholder="part of the address or reason"
          value={value('search')}
          search={(text) => change({ search: text })}
        />
        <Choice
          label="Verdict"
          value={value('verdict')}
          options={[['', 'all'], ...VERDICT_ORDER.map((name) => [name, name] as const)]}
          choose={(verdict) => change({ verdict })}
        />
        {narrowed.map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            onClick={() => change({ [name]: undefined })}
            aria-label={`Remove the filter ${name}: ${value(name)}`}
          >
            {name}: {value(name)} ✕
          </button>
        ))}
      </div>
      <VirtualTable
        label={`Requests of run ${run}`}
        noun="request"
        layout="grid-requests"
        keyset={keyset}
        columns={columns}
        sorting={{ by: sort, order, change: (by, next) => change({ sort: by, order: next }) }}
        rowKey={({ id }) => id}
        empty={<Empty title="No request fits" />}
      />
    </Page>
  );
}
