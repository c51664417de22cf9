// The lists of a site and how far each was walked.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { formatCount } from '../lib/format.ts';
import { Badge } from './badge.tsx';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';
import { OutLink } from './link.tsx';
import { When } from './when.tsx';

type StartPage = AnswerOf<'run'>['run']['startPages'][number];

const COLUMNS: readonly Column<StartPage>[] = [
  { label: 'Start page', cell: ({ url }) => <OutLink url={url} /> },
  {
    label: 'State',
    cell: ({ completed, failureCount, reason }) => (
      <>
        <Badge tone={completed ? 'good' : failureCount > 0 ? 'warn' : 'live'}>
          {completed ? 'complete' : 'not complete'}
        </Badge>
        {reason !== null && <span class="faint"> {reason}</span>}
      </>
    ),
  },
  { label: 'Pages read', align: 'end', cell: ({ pages }) => (pages === 0 ? '–' : formatCount(pages)) },
  { label: 'Items found', align: 'end', cell: ({ urls }) => formatCount(urls) },
  { label: 'The site says', align: 'end', cell: ({ statedTotal }) => formatCount(statedTotal) },
  {
    label: 'Last failure',
    cell: ({ lastFailure }) =>
      lastFailure === null ? (
        <span class="faint">none</span>
      ) : (
        <>
          {lastFailure.error} {lastFailure.proxy !== '' && <span class="faint">by {lastFailure.proxy}</span>}{' '}
          <When at={lastFailure.at} />
        </>
      ),
  },
];

export function StartPages({ pages }: { readonly pages: readonly StartPage[] }) {
  return <DataTable label="Start pages" columns={COLUMNS} rows={pages} rowKey={({ url }) => url} />;
}
