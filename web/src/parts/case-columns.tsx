// What stands of a case in a table of cases.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import { formatBytes, formatDate } from '../lib/format.ts';
import { casePath } from '../lib/route.ts';
import { VerdictBadge } from './badge.tsx';
import type { Column } from './column.ts';
import { FileLink } from './file-link.tsx';
import { Link } from './link.tsx';
import { When } from './when.tsx';

export const CASE_COLUMNS = {
  title: { label: 'Title', sort: 'title', cell: (row) => <Link to={casePath(row)}>{row.title ?? row.token}</Link> },
  state: {
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
  judgment: { label: 'Judgment', sort: 'judgmentDate', cell: (row) => formatDate(row.judgmentDate ?? '') },
  cause: { label: 'Cause', sort: 'causeNumber', cell: (row) => row.causeNumber ?? '' },
  court: { label: 'Court', sort: 'court', cell: (row) => row.court ?? '' },
  category: { label: 'Category', cell: (row) => row.category ?? '' },
  downloaded: { label: 'Downloaded', sort: 'downloadedAt', cell: (row) => <When at={row.downloadedAt} /> },
  size: {
    label: 'Size',
    sort: 'sizeBytes',
    align: 'end',
    cell: (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes)),
  },
  file: { label: 'File', keep: true, cell: (row) => <FileLink row={row} /> },
} as const satisfies Record<string, Column<CaseListRow>>;
