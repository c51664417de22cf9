// A table of few rows, all of them drawn. Its first column names the row; where there is no room for all columns each row
// becomes a card.

import { useRef } from 'preact/hooks';
import { useNarrow } from '../lib/use-narrow.ts';
import type { Column } from './column.ts';

interface DataTableProps<Row> {
  /** What it is, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** `runs` for cards of two columns, `plain` for no cards. */
  readonly layout?: 'cards' | 'cards runs' | 'plain';
}

export function DataTable<Row>({ label, columns: all, rows, rowKey, layout = 'cards' }: DataTableProps<Row>) {
  // A column in which no row says anything would only take room.
  const columns = all.filter(({ text }) => text === undefined || rows.some((row) => text(row) !== ''));
  const [first, ...others] = columns;
  const table = useRef<HTMLTableElement>(null);
  const isNarrow = useNarrow(table);
  return (
    <table ref={table} class={isNarrow && layout !== 'plain' ? `${layout} is-narrow` : layout}>
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" class={classOf(column)}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map((column) => (
              <td key={column.label} data-label={column.label} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf<Row>({ align }: Column<Row>): string | undefined {
  return align === 'end' ? 'is-end' : undefined;
}
