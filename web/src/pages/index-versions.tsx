// Every version of a mirrored index: when it came, whether it was used, and how much it changed.

import type { IndexVersion } from '../../../src/server/contract/index-versions.ts';
import { countOf, formatCount } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { indexPath, queryOf } from '../lib/route.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { IndexMark } from '../parts/mirror-list.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

const MOST_SHOWN = 200;

const COLUMNS: readonly Column<IndexVersion>[] = [
  {
    label: 'Version',
    cell: ({ id, source, valid }) => (valid ? <Link to={indexPath(id, source)}>Version {id}</Link> : `Version ${id}`),
  },
  {
    label: 'State',
    cell: ({ valid, error_message, unreadable_rows: unreadable }) => (
      <>
        <Badge tone={valid ? 'good' : 'bad'}>{valid ? 'used' : 'refused'}</Badge>
        {error_message !== null && <span class="faint"> {error_message}</span>}
        {valid && unreadable !== null && (
          <span class="is-bad">
            {' '}
            {countOf(unreadable.count, 'row')} cannot be read, for example line {unreadable.line}: {unreadable.reason}
          </span>
        )}
      </>
    ),
  },
  { label: 'Fetched', cell: ({ fetched_at }) => <When at={fetched_at} /> },
  { label: 'Rows', align: 'end', cell: ({ row_count }) => formatCount(row_count) },
  { label: 'New', align: 'end', cell: ({ valid, new_count }) => (valid ? formatCount(new_count) : '–') },
  { label: 'Removed', align: 'end', cell: ({ valid, removed_count }) => (valid ? formatCount(removed_count) : '–') },
  { label: 'Changed', align: 'end', cell: ({ valid, changed_count }) => (valid ? formatCount(changed_count) : '–') },
  {
    label: 'SHA-256',
    cell: ({ sha256 }) =>
      sha256 === '' ? <span class="faint">no bytes came</span> : <code title={sha256}>{sha256.slice(0, 12)}…</code>,
  },
];

export function IndexVersions() {
  const [query] = useQuery();
  const source = query.get('source') ?? '';
  const versions = useResource<'csvVersions'>(`/api/db/csv_versions${queryOf({ source, limit: MOST_SHOWN })}`);
  const coverage = useResource<'coverage'>(`/api/coverage${queryOf({ source })}`);
  return (
    <Page
      title="Index"
      lede="The index of a court lists its cases. Each time it changed is a version; what could not be used is kept and changes nothing."
    >
      <Loaded what="the versions" resource={versions}>
        {({ versions: all }) =>
          all.length === 0 ? (
            <Empty title="No index has been read yet">
              <p>
                <Link to="/start">Start a run of a mirror</Link> to read it.
              </p>
            </Empty>
          ) : (
            <>
              {coverage.data !== undefined && coverage.data.index.checked_at !== null && (
                <Panel title="In use" id="in-use">
                  <IndexMark source={coverage.data.source} index={coverage.data.index} />
                </Panel>
              )}
              <Panel title="Versions, newest first" id="versions">
                <DataTable label="Versions of the index" columns={COLUMNS} rows={all} rowKey={({ id }) => id} />
                {all.length === MOST_SHOWN && <p class="faint">Older versions are not shown.</p>}
              </Panel>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
