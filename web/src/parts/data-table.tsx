// A table of few rows, all of them drawn. Its first column names the row; on a phone each row becomes a card.

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

export function DataTable<Row>({ label, columns, rows, rowKey, layout = 'cards' }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  return (
    <table class={layout}>
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
