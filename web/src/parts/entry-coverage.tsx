// What a run says about each of its entries: complete or not, and why.

import type { EntryCoverage } from '../../../src/server/contract/entry-coverage.ts';
import { formatCount } from '../lib/format.ts';
import { Badge } from './badge.tsx';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';

const COLUMNS: readonly Column<EntryCoverage>[] = [
  { label: 'Entry', cell: ({ entry }) => entry },
  { label: 'Kind', cell: ({ kind }) => kind },
  {
    label: 'Complete',
    cell: ({ complete }) =>
      complete === null ? (
        <span class="faint">claims nothing</span>
      ) : (
        <Badge tone={complete ? 'good' : 'warn'}>{complete ? 'complete' : 'not complete'}</Badge>
      ),
  },
  { label: 'Items', align: 'end', cell: ({ expected }) => formatCount(expected) },
  {
    label: 'Verdicts',
    cell: ({ verdicts }) =>
      Object.entries(verdicts)
        .map(([verdict, count]) => `${formatCount(count)} ${verdict}`)
        .join(', ') || '–',
  },
  { label: 'Why', cell: ({ statement }) => statement },
];

export function EntryCoverageTable({ coverage }: { readonly coverage: readonly EntryCoverage[] }) {
  return <DataTable label="Coverage by entry" columns={COLUMNS} rows={coverage} rowKey={({ entry }) => entry} />;
}
