// The requests of a run, searchable and sortable, however many there are.

import { useMemo } from 'preact/hooks';
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
  const columns = useMemo(() => columnsOf(run), [run]);
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
        layout="grid-fitted"
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

function columnsOf(run: number): readonly Column<RequestRow>[] {
  return [
    {
      label: 'Address',
      sort: 'url',
      text: addressOf,
      cell: (row) => <Link to={`/runs/${run}/requests/${row.id}`}>{addressOf(row)}</Link>,
    },
    {
      label: 'Verdict',
      keep: true,
      sort: 'verdict',
      text: (row) => `${verdictOf(row) ?? 'pending'}      `,
      cell: (row) => <VerdictBadge verdict={verdictOf(row)} />,
    },
    {
      label: 'Status',
      sort: 'status',
      align: 'end',
      text: ({ status }) => (status === null ? '' : String(status)),
      cell: (row) => row.status ?? <span class="faint">–</span>,
    },
    {
      label: 'Attempts',
      sort: 'attempts',
      align: 'end',
      text: (row) => formatCount(row.attempts),
      cell: (row) => formatCount(row.attempts),
    },
    { label: 'Reason', text: (row) => row.reason ?? '', cell: (row) => row.reason ?? '' },
    { label: 'Step', text: (row) => row.step ?? '', cell: (row) => row.step ?? '' },
    {
      label: 'Archived',
      keep: true,
      text: ({ status }) => (status === null ? '' : 'Download'),
      cell: (row) => row.status !== null && <ArchivedPage run={run} request={row.id} about={row.url} />,
    },
  ];
}

function addressOf({ method, url }: RequestRow): string {
  return method === 'GET' ? url : `${method} ${url}`;
}

function verdictOf({ verdict, state }: RequestRow): string | null {
  return verdict ?? (state === 'delayed' ? 'delayed' : null);
}
