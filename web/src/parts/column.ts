import type { ComponentChildren } from 'preact';

/** A column of any table: its label stands above it and, on a phone, beside each of its cells. */
export interface Column<Row> {
  readonly label: string;
  /** What to sort a long list by; undefined: it cannot be sorted. */
  readonly sort?: string;
  /** Numbers end where the others end. */
  readonly align?: 'end';
  /** On a phone, where not all of a long list fit, those that are kept come first. */
  readonly keep?: true;
  /** What a cell says. When all columns of a long list have it, they are as wide as their longest text. */
  readonly text?: (row: Row) => string;
  readonly cell: (row: Row) => ComponentChildren;
}
