// How far a run is with each host, and why it waits.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { formatCount, formatRate, localTimes } from '../lib/format.ts';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';
import { BadCount, Coverage } from './verdict-bar.tsx';

type Host = AnswerOf<'run'>['run']['hosts'][number];

const COLUMNS: readonly Column<Host>[] = [
  { label: 'Host', cell: ({ host }) => host },
  { label: 'Settled', cell: ({ counts }) => <Coverage counts={counts} /> },
  { label: 'Problems', align: 'end', cell: ({ counts }) => <BadCount counts={counts} /> },
  { label: 'Pending', align: 'end', cell: ({ counts }) => formatCount(counts.pending) },
  { label: 'Rate', align: 'end', cell: ({ perSecond }) => (perSecond === null ? '–' : formatRate(perSecond)) },
  {
    label: 'Held up by',
    cell: ({ waits }) => (waits === null ? <span class="faint">nothing</span> : localTimes(waits, Date.now())),
  },
];

export function HostProgress({ hosts }: { readonly hosts: readonly Host[] }) {
  return <DataTable label="Progress by host" columns={COLUMNS} rows={hosts} rowKey={({ host }) => host} />;
}
