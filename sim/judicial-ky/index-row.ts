// A row of the index, and how it is written: as careless as the real one. Cells are quoted when they must be, lines
// end in CRLF, a BOM leads; some rows lack their last cell, some have one too many.

export interface IndexRow {
  readonly citation: string;
  readonly causeNumber: string;
  readonly dateText: string;
  readonly title: string;
  readonly subject: string;
  readonly court: string;
  readonly category: string;
  /** The cell as it is written; undefined when the row ends before it. */
  readonly actions: string | undefined;
  /** Tokens that the row stands for, as the page has them. */
  readonly tokens: readonly string[];
  /** Whether an empty ninth cell follows. */
  readonly isLong: boolean;
}

export const INDEX_COLUMNS = [
  'Neutral Citation',
  'Cause Number',
  'Judgment Date',
  'Title',
  'Subject',
  'Court',
  'Category',
  'Actions',
];

/** The cells but the last: those that the page shows as text. */
export function shownCells(row: IndexRow): string[] {
  return [row.citation, row.causeNumber, row.dateText, row.title, row.subject, row.court, row.category];
}

/** The index as a file. */
export function indexCsv(rows: readonly IndexRow[]): string {
  const lines = rows.map((row) =>
    [...shownCells(row), ...(row.actions === undefined ? [] : [row.actions]), ...(row.isLong ? [''] : [])].map(quoted),
  );
  return `\uFEFF${[INDEX_COLUMNS, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')}`;
}

/** RFC 4180 §2. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
