// What stands of a case in a table of cases.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import { formatBytes, formatClock, formatDate } from '../lib/format.ts';
import { casePath } from '../lib/route.ts';
import { VerdictBadge } from './badge.tsx';
import type { Column } from './column.ts';
import { FileLink } from './file-link.tsx';
import { Link } from './link.tsx';
import { When } from './when.tsx';

export const CASE_COLUMNS = {
  title: {
    label: 'Title',
    sort: 'title',
    text: (row) => row.title ?? row.token,
    cell: (row) => <Link to={casePath(row)}>{row.title ?? row.token}</Link>,
  },
  state: {
    label: 'State',
    keep: true,
    sort: 'state',
    // With room for the edges of the badge.
    text: (row) => `${row.state.replaceAll('_', ' ')}      ${reasonOf(row)} ${standing(row)}`,
    cell: (row) => (
      <span class="badges">
        <VerdictBadge verdict={row.state} />
        {reasonOf(row) !== '' && <span class="faint">{reasonOf(row)}</span>}
        {standing(row) !== '' && <span class="faint">{standing(row)}</span>}
      </span>
    ),
  },
  judgment: column('Judgment', 'judgmentDate', (row) => formatDate(row.judgmentDate ?? '')),
  cause: column('Cause', 'causeNumber', (row) => row.causeNumber ?? ''),
  court: column('Court', 'court', (row) => row.court ?? ''),
  category: column('Category', undefined, (row) => row.category ?? ''),
  downloaded: {
    label: 'Downloaded',
    sort: 'downloadedAt',
    text: (row) => (row.downloadedAt === null ? '' : formatClock(row.downloadedAt, Date.now())),
    cell: (row) => <When at={row.downloadedAt} />,
  },
  size: {
    ...column('Size', 'sizeBytes', (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes))),
    align: 'end',
  },
  file: {
    label: 'File',
    keep: true,
    text: (row) => (row.fileUrl === null ? '' : 'PDF'),
    cell: (row) => <FileLink row={row} />,
  },
} as const satisfies Record<string, Column<CaseListRow>>;

/** A column of plain text. */
function column(label: string, sort: string | undefined, text: (row: CaseListRow) => string): Column<CaseListRow> {
  return { label, text, cell: text, ...(sort !== undefined && { sort }) };
}

function reasonOf({ state, reason }: CaseListRow): string {
  return state === 'held' ? '' : (reason ?? '');
}

/** Why it is not wanted, also when its file is held from before. */
function standing({ active, criminal }: CaseListRow): string {
  return criminal ? 'criminal' : active ? '' : 'gone from the index';
}
