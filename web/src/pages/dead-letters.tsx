// URLs that the fetcher gave up. They can be put back or dropped: those of a reason, of a host, or all.

import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { post } from '../lib/api.ts';
import { countOf, formatCount } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { notify } from '../lib/notices.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { OutLink } from '../parts/link.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Choice, SearchBox } from '../parts/search-box.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { When } from '../parts/when.tsx';

type DeadLetter = AnswerOf<'deadLetters'>['rows'][number];

const COLUMNS: readonly Column<DeadLetter>[] = [
  { label: 'Address', cell: (row) => <OutLink url={row.url} /> },
  { label: 'Reason', keep: true, cell: (row) => <span title={row.reason}>{row.reason}</span> },
  { label: 'Status', align: 'end', cell: (row) => row.status ?? <span class="faint">–</span> },
  { label: 'Attempts', align: 'end', cell: (row) => formatCount(row.attempts) },
  { label: 'Given up', cell: (row) => <When at={row.last} /> },
];

export function DeadLetters() {
  const [query, change] = useQuery();
  const reason = query.get('reason') ?? '';
  const host = query.get('host') ?? '';
  const search = query.get('search') ?? '';
  const [asking, setAsking] = useState(false);
  const reasons = useResource<'deadLetters'>('/api/dead-letters?limit=1');
  const keyset = useKeyset<DeadLetter>(`/api/dead-letters${queryOf({ reason, host, search })}`);
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
    notify('good', `${countOf(answer.count, 'URL')} ${verb}.`);
    reasons.reload();
    keyset.reload();
  };
  return (
    <Page
      title="Dead letters"
      lede="URLs that the fetcher service gave up after several attempts."
      actions={
        <>
          <ActionButton
            label={`Requeue ${whichText}`}
            obstacle={obstacle}
            act={() => post<'requeueDeadLetters'>('/api/dead-letters/requeue', which)}
            done={changed('put back into the queue')}
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
      <div class="filters" role="search">
        <SearchBox
          label="Search"
          placeholder="part of the address or reason"
          value={search}
          search={(text) => change({ search: text })}
        />
        <Choice
          label="Reason"
          value={reason}
          options={[
            ['', 'all'],
            ...groups.map((group) => [group.reason, `${group.reason} (${formatCount(group.count)})`] as const),
          ]}
          choose={(value) => change({ reason: value })}
        />
        {host !== '' && (
          <button
            type="button"
            class="chip"
            onClick={() => change({ host: undefined })}
            aria-label={`Remove the filter host: ${host}`}
          >
            host: {host} ✕
          </button>
        )}
      </div>
      <VirtualTable
        label="Dead letters"
        noun="dead letter"
        layout="grid-letters"
        keyset={keyset}
        columns={COLUMNS}
        rowKey={({ url }) => url}
        empty={
          <Empty title={reason + host + search === '' ? 'No dead letters' : 'No dead letter fits'}>
            {reason + host + search === '' && <p>The fetcher has given up nothing.</p>}
          </Empty>
        }
      />
    </Page>
  );
}
