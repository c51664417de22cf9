import type { RunRow } from '../../../src/server/contract/runs.ts';
import { DataTable } from './data-table.tsx';
import { RUN_COLUMNS } from './run-columns.tsx';

/** Runs as a table; on a phone as cards. */
export function RunList({ runs, label }: { readonly runs: readonly RunRow[]; readonly label: string }) {
  return <DataTable label={label} layout="cards runs" columns={RUN_COLUMNS} rows={runs} rowKey={({ id }) => id} />;
}
