// What a run found. The columns are the fields of the records themselves.

import type { RecordRow } from '../../../src/server/contract/requests.ts';
import { isObject } from '../lib/form-field.ts';
import { formatCount, formatJson } from '../lib/format.ts';
import { recordFields } from '../lib/record-fields.ts';
import { useList } from '../lib/use-list.ts';
import { useResource } from '../lib/use-resource.ts';
import { ArchivedPage } from '../parts/archived-page.tsx';
import { Badge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { Link } from '../parts/link.tsx';
import { ListView, RefreshButton } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { RunTrail } from '../parts/run-trail.tsx';

export function Records({ run }: { readonly run: number }) {
  const summary = useResource<'runSummary'>(`/api/runs/${run}/summary`);
  const kinds = summary.data?.recordKinds ?? [];
  const list = useList<RecordRow>(`/api/runs/${run}/records`, {
    filters: ['kind', 'valid', 'search'],
    sorting: { by: 'id', order: 'asc' },
  });
  const fields = recordFields(list.keyset.list.rows);
  const columns: readonly Column<RecordRow>[] = [
    {
      label: 'Record',
      sort: 'id',
      cell: (row) => (
        <>
          <Link to={`/runs/${run}/requests/${row.request}`} label={`${row.kind} ${row.id}: what happened to it`}>
            {row.kind} {formatCount(row.id)}
          </Link>
          {!row.valid && <Badge tone="bad">invalid</Badge>}
        </>
      ),
    },
    ...fields.map((field) => ({
      label: field,
      sort: `data.${field}`,
      cell: (row: RecordRow) => <Value row={row} field={field} />,
    })),
    { label: 'Archived', keep: true, cell: (row) => <ArchivedPage run={run} request={row.request} about={row.url} /> },
  ];
  return (
    <Page
      title="Records"
      trail={<RunTrail run={run}>records</RunTrail>}
      actions={
        <>
          <Link to={`/runs/${run}/requests`} class="button">
            Requests
          </Link>
          <RefreshButton list={list} />
        </>
      }
    >
      <ListView
        list={list}
        label={`Records of run ${run}`}
        noun="record"
        layout={`grid-records fields-${fields.length}`}
        columns={columns}
        rowKey={({ id }) => id}
        searched="part of the data"
        choices={[
          {
            filter: 'kind',
            label: 'Kind',
            options: kinds.map(({ kind, total }) => [kind, `${kind} (${formatCount(total)})`]),
            resets: 'sort',
          },
          {
            filter: 'valid',
            label: 'Fits its schema',
            options: [
              ['true', 'valid'],
              ['false', 'invalid'],
            ],
          },
        ]}
        empty={<Empty title="No record yet" />}
      />
    </Page>
  );
}

function Value({ row: { data }, field }: { readonly row: RecordRow; readonly field: string }) {
  const text = formatJson(isObject(data) ? data[field] : undefined);
  return <span title={text}>{text}</span>;
}
