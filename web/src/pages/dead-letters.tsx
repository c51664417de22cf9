// Addresses that the fetcher gave up. They can be requeued or dropped: those of a reason, of a host, or all.

import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { post } from '../lib/api.ts';
import { countOf, formatClock, formatCount } from '../lib/format.ts';
import { notify } from '../lib/notices.ts';
import { useList } from '../lib/use-list.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import type { Column } from '../parts/column.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { OutLink } from '../parts/link.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

type DeadLetter = AnswerOf<'deadLetters'>['rows'][number];

const COLUMNS: readonly Column<DeadLetter>[] = [
  { label: 'Address', text: (row) => row.url, cell: (row) => <OutLink url={row.url} /> },
  { label: 'Reason', keep: true, text: (row) => row.reason, cell: (row) => row.reason },
  {
    label: 'Status',
    align: 'end',
    text: ({ status }) => (status === null ? '' : String(status)),
    cell: (row) => row.status ?? <span class="faint">–</span>,
  },
  {
    label: 'Attempts',
    align: 'end',
    text: (row) => formatCount(row.attempts),
    cell: (row) => formatCount(row.attempts),
  },
  {
    label: 'Given up',
    text: ({ last }) => (last === null ? '' : formatClock(last, Date.now())),
    cell: (row) => <When at={row.last} />,
  },
];

export function DeadLetters() {
  const list = useList<DeadLetter>('/api/dead-letters', { filters: ['reason', 'host', 'search'] });
  const [reason, host, search] = [list.value('reason'), list.value('host'), list.value('search')];
  const [asking, setAsking] = useState(false);
  const reasons = useResource<'deadLetters'>('/api/dead-letters?limit=1');
  const groups = reasons.data?.reasons ?? [];
  const all = groups.reduce((sum, { count }) => sum + count, 0);
  const which =
    reason === '' && host === '' ? { all: true } : { ...(reason !== '' && { reason }), ...(host !== '' && { host }) };
  const chosen = groups.find((group) => group.reason === reason)?.count;
  const whichText =
    reason === '' && host === '' ? 'all' : chosen === undefined ? 'these' : `these ${formatCount(chosen)}`;
  const obstacle =
    all === 0
      ? 'There is no dead letter.'
      : search === ''
        ? null
        : 'A search only narrows what is shown. Choose a reason, or clear the search to take all.';
  const changed = (verb: string) => (answer: { readonly count: number }) => {
    setAsking(false);
    notify('good', `${countOf(answer.count, 'dead letter')} ${verb}.`);
    reasons.reload();
    list.keyset.reload();
  };
  return (
    <Page
      title="Dead letters"
      lede="Addresses that the fetcher gave up after several attempts."
      actions={
        <>
          <ActionButton
            label={`Requeue ${whichText}`}
            obstacle={obstacle}
            act={() => post<'requeueDeadLetters'>('/api/dead-letters/requeue', which)}
            done={changed('requeued')}
          />
          <ActionButton
            label={`Drop ${whichText} …`}
            tone="danger"
            obstacle={obstacle}
            act={async () => setAsking(true)}
          />
        </>
      }
    >
      {asking && (
        <ConfirmDialog
          title={`Drop ${whichText}?`}
          close={() => setAsking(false)}
          confirm={
            <ActionButton
              label={`Drop ${whichText}`}
              tone="danger"
              act={() => post<'dropDeadLetters'>('/api/dead-letters/drop', which)}
              done={changed('dropped')}
            />
          }
        >
          <p>Curlew forgets them. This cannot be undone; the addresses must then be enqueued anew.</p>
        </ConfirmDialog>
      )}
      <ListView
        list={list}
        label="Dead letters"
        noun="dead letter"
        layout="grid-fitted"
        columns={COLUMNS}
        rowKey={({ url }) => url}
        searched="part of the address or reason"
        choices={[
          {
            filter: 'reason',
            label: 'Reason',
            options: groups.map((group) => [group.reason, `${group.reason} (${formatCount(group.count)})`]),
          },
        ]}
        chips={['host']}
        empty={
          <Empty title="No dead letters">
            <p>The fetcher has given up nothing.</p>
          </Empty>
        }
      />
    </Page>
  );
}
