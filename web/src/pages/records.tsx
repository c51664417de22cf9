// What a run found. The columns are the fields of the records themselves.

import type { RecordRow } from '../../../src/server/contract/requests.ts';
import { isObject } from '../lib/form-field.ts';
import { formatCount, formatJson } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { recordFields } from '../lib/record-fields.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { useResource } from '../lib/use-resource.ts';
import { ArchivedPage } from '../parts/archived-page.tsx';
import { Badge } from '../parts/badge.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Choice, SearchBox } from '../parts/search-box.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

export function Records({ run }: { readonly run: number }) {
  const [query, change] = useQuery();
  const summary = useResource<'runSummary'>(`/api/runs/${run}/summary`);
  const kinds = summary.data?.recordKinds ?? [];
  const kind = query.get('kind') ?? '';
  const valid = query.get('valid') ?? '';
  const search = query.get('search') ?? '';
  const sort = query.get('sort') ?? 'id';
  const order = query.get('order') === 'desc' ? 'desc' : 'asc';
  const keyset = useKeyset<RecordRow>(`/api/runs/${run}/records${queryOf({ kind, valid, search, sort, order })}`);
  const fields = recordFields(keyset.list.rows);
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
    { label: 'Page', keep: true, cell: (row) => <ArchivedPage run={run} request={row.request} about={row.url} /> },
  ];
  return (
    <Page
      title="Records"
      trail={
        <>
          <Link to="/runs">Runs</Link> / <Link to={`/runs/${run}`}>#{run}</Link> / records
        </>
      }
      actions={
        <>
          <Link to={`/runs/${run}/requests`} class="button">
            Requests
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
          placeholder="part of the data"
          value={search}
          search={(text) => change({ search: text })}
        />
        <Choice
          label="Kind"
          value={kind}
          options={[
            ['', 'all'],
            ...kinds.map(({ kind: name, total }) => [name, `${name} (${formatCount(total)})`] as const),
          ]}
          choose={(value) => change({ kind: value, sort: undefined })}
        />
        <Choice
          label="Fits its schema"
          value={valid}
          options={[
            ['', 'all'],
            ['true', 'valid'],
            ['false', 'invalid'],
          ]}
          choose={(value) => change({ valid: value })}
        />
      </div>
      <VirtualTable
        label={`Records of run ${run}`}
        noun="record"
        layout={`grid-records fields-${fields.length}`}
        keyset={keyset}
        columns={columns}
        sorting={{ by: sort, order, change: (by, next) => change({ sort: by, order: next }) }}
        rowKey={({ id }) => id}
        empty={<Empty title="No record fits" />}
      />
    </Page>
  );
}

function Value({ row: { data }, field }: { readonly row: RecordRow; readonly field: string }) {
  const text = formatJson(isObject(data) ? data[field] : undefined);
  return <span title={text}>{text}</span>;
}
