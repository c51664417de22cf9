// The requests of a run, searchable and sortable, however many there are.

import type { RequestRow } from '../../../src/server/contract/requests.ts';
import { formatCount } from '../lib/format.ts';
import { useList } from '../lib/use-list.ts';
import { VERDICT_ORDER } from '../lib/verdicts.ts';
import { ArchivedPage } from '../parts/archived-page.tsx';
import { VerdictBadge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { Link } from '../parts/link.tsx';
import { ListView, RefreshButton } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { RunTrail } from '../parts/run-trail.tsx';
import { plainOptions } from '../parts/search-box.tsx';

export function Requests({ run }: { readonly run: number }) {
  const list = useList<RequestRow>(`/api/runs/${run}/requests`, {
    filters: ['verdict', 'host', 'step', 'reason', 'search'],
    sorting: { by: 'id', order: 'asc' },
  });
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
  return (
    <Page
      title="Requests"
      trail={<RunTrail run={run}>requests</RunTrail>}
      actions={
        <>
          <Link to={`/runs/${run}/records`} class="button">
            Records
          </Link>
          <RefreshButton list={list} />
        </>
      }
    >
      <ListView
        list={list}
        label={`Requests of run ${run}`}
        noun="request"
        layout="grid-requests"
        columns={columns}
        rowKey={({ id }) => id}
        searched="part of the address or reason"
        choices={[{ filter: 'verdict', label: 'Verdict', options: plainOptions(VERDICT_ORDER) }]}
        chips={['host', 'step', 'reason']}
        empty={<Empty title="No request yet" />}
      />
    </Page>
  );
}
