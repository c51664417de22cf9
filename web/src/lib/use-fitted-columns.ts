// The columns of a table that fit into it, with their widths, as the texts of its rows need them.

import { useMemo } from 'preact/hooks';
import type { Column } from '../parts/column.ts';
import { fitColumns, longestTexts } from './fit-columns.ts';

export interface FittedColumns<Row> {
  readonly columns: readonly Column<Row>[];
  /** As CSS; undefined when the columns have widths of their own. */
  readonly template: string | undefined;
}

const GAP = 14;
/** Of the label: the mark of the order that stands beside it. */
const MARK = 24;

/** `width`: what there is for all, in pixels; undefined: not known yet, or each row wraps as it likes. */
export function useFittedColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): FittedColumns<Row> {
  return useMemo(() => {
    if (columns.some(({ text }) => text === undefined)) return { columns, template: undefined };
    const measure = measurer();
    const measured = columns.map(({ label, text, keep }) => {
      const texts = text === undefined ? [] : longestTexts(rows, text);
      const natural = Math.max(measure(label) + MARK, ...texts.map((said) => measure(said) + 2));
      return { natural, isEmpty: rows.length > 0 && texts.length === 0, isKept: keep === true };
    });
    if (width === undefined) {
      return { columns: columns.filter((_, at) => at === 0 || measured[at]?.isEmpty !== true), template: undefined };
    }
    const widths = fitColumns(measured, width, GAP);
    return {
      columns: columns.filter((_, at) => widths[at] !== undefined),
      template: widths.flatMap((one) => (one === undefined ? [] : [`${one}px`])).join(' '),
    };
  }, [columns, rows, width]);
}

function measurer(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  const { fontSize, fontFamily } = getComputedStyle(document.documentElement);
  if (context !== null) context.font = `${fontSize} ${fontFamily}`;
  return (text) => context?.measureText(text).width ?? text.length * 8;
}
