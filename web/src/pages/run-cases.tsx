// The cases of a mirror run, and what became of each in that run.

import type { RunCaseRow } from '../../../src/server/contract/cases.ts';
import { formatBytes, formatClock, formatCount } from '../lib/format.ts';
import { casePath } from '../lib/route.ts';
import { useList } from '../lib/use-list.ts';
import { VerdictBadge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { Link } from '../parts/link.tsx';
import { ListView, RefreshButton } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { RunTrail } from '../parts/run-trail.tsx';
import { plainOptions } from '../parts/search-box.tsx';
import { When } from '../parts/when.tsx';

const STATUSES = ['downloaded', 'failed', 'skipped', 'unfinished'] as const;

const COLUMNS: readonly Column<RunCaseRow>[] = [
  {
    label: 'Case',
    sort: 'title',
    text: (row) => row.title ?? row.token,
    cell: (row) => <Link to={casePath(row)}>{row.title ?? row.token}</Link>,
  },
  {
    label: 'In this run',
    keep: true,
    sort: 'status',
    text: (row) => `${row.status}     `,
    cell: (row) => <VerdictBadge verdict={row.status} />,
  },
  {
    label: 'Attempts',
    sort: 'attempts',
    align: 'end',
    text: (row) => formatCount(row.attempts),
    cell: (row) => formatCount(row.attempts),
  },
  {
    label: 'Last attempt',
    sort: 'lastAttemptAt',
    text: (row) => (row.lastAttemptAt === null ? '' : formatClock(row.lastAttemptAt, Date.now())),
    cell: (row) => <When at={row.lastAttemptAt} />,
  },
  { label: 'Reason', keep: true, sort: 'reason', text: (row) => row.reason ?? '', cell: (row) => row.reason ?? '' },
  { label: 'What was said', text: (row) => row.message ?? '', cell: (row) => row.message ?? '' },
  {
    label: 'Size',
    sort: 'sizeBytes',
    align: 'end',
    text: (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes)),
    cell: (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes)),
  },
];

export function RunCases({ run }: { readonly run: number }) {
  const list = useList<RunCaseRow>(`/api/runs/${run}/cases`, {
    filters: ['status', 'reason', 'search'],
    sorting: { by: 'id', order: 'asc' },
  });
  return (
    <Page
      title="Cases of the run"
      trail={<RunTrail run={run}>cases</RunTrail>}
      lede="A run of a mirror asks for cases. Each line says what became of one in this run; its page tells what happened."
      actions={<RefreshButton list={list} />}
    >
      <ListView
        list={list}
        label={`Cases of run ${run}`}
        noun="case"
        layout="grid-fitted"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        searched="part of title, token or reason"
        choices={[{ filter: 'status', label: 'In this run', options: plainOptions(STATUSES) }]}
        chips={['reason']}
        empty={<Empty title="No case is planned in this run" />}
      />
    </Page>
  );
}
