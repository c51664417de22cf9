// A table of which only the rows in sight are drawn: 100,000 rows scroll as easily as ten. For screen readers it is a table
// with its real number of rows; rows not loaded yet have their place.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countOf, formatCount } from '../lib/format.ts';
import { listLength, rowsBeyond, visibleWindow } from '../lib/keyset-list.ts';
import { useFittedColumns } from '../lib/use-fitted-columns.ts';
import type { Keyset } from '../lib/use-keyset.ts';
import type { Sorting } from '../lib/use-list.ts';
import { useMedia } from '../lib/use-media.ts';
import type { Column } from './column.ts';
import { Failure } from './loaded.tsx';

interface VirtualTableProps<Row> {
  readonly label: string;
  /** What one row is: for sentences. */
  readonly noun: string;
  /** Class with the widths of the columns. */
  readonly layout: string;
  readonly keyset: Keyset<Row>;
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting | undefined;
  readonly sort: (by: string, order: Sorting['order']) => void;
  readonly rowKey: (row: Row) => string | number;
  readonly empty: ComponentChildren;
}

const ROW_HEIGHT = 37;
const PHONE_ROW_HEIGHT = 65;
const FIRST_HEIGHT = 600;
/** Of a row, at both of its ends. */
const ROW_PADDING = 32;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, noun, layout, keyset, sorting, sort, rowKey, empty } = props;
  const { list, error, loading, stale, show, scrolled } = keyset;
  const isPhone = useMedia('(max-width: 700px)');
  const rowHeight = isPhone ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: keyset.scrollTop, height: FIRST_HEIGHT, width: 0 });
  const width = isPhone || view.width === 0 ? undefined : view.width - ROW_PADDING;
  const { columns, template } = useFittedColumns(props.columns, list.rows, width);
  const length = listLength(list);
  const { first, end } = visibleWindow(length, view.top, view.height, rowHeight);

  useEffect(() => show(end), [end, stale]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = keyset.scrollTop;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Another search or order begins at its top.
  const before = useRef(stale);
  useLayoutEffect(() => {
    if (before.current && !stale && scroller.current !== null) scroller.current.scrollTop = keyset.scrollTop;
    before.current = stale;
  }, [stale]);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    scrolled(element.scrollTop);
  };

  const isEmpty = list.next === null && list.rows.length === 0 && !stale;
  if (error !== undefined && list.rows.length === 0) {
    return <Failure what={label.toLowerCase()} error={error} retry={keyset.reload} />;
  }
  const rows = [];
  for (let at = first; at < end; at++) rows.push(at);
  return (
    <div class="vtable-box">
      <p class="vtable-status" role="status">
        {statusOf(keyset, noun)}
      </p>
      {isEmpty ? (
        empty
      ) : (
        <div
          class={`vtable ${template === undefined ? layout : 'grid-fitted'}`}
          style={template === undefined ? undefined : { '--columns': template }}
          role="table"
          aria-label={label}
          aria-rowcount={list.next === null ? length + 1 : list.total === null ? -1 : length + 1}
          aria-busy={loading}
        >
          <div role="rowgroup" class="vhead">
            <div role="row" class="vrow" aria-rowindex={1}>
              {columns.map((column) => (
                <HeadCell key={column.label} column={column} sorting={sorting} sort={sort} />
              ))}
            </div>
          </div>
          <div
            ref={scroller}
            role="rowgroup"
            class={stale ? 'vscroll is-stale' : 'vscroll'}
            tabIndex={0}
            aria-label={`${label}, rows`}
            onScroll={onScroll}
          >
            <div role="presentation" class="vspace" style={{ height: `${length * rowHeight}px` }}>
              <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
                {rows.map((at) => {
                  const row = list.rows[at];
                  return (
                    <div
                      key={row === undefined ? `empty-${at}` : rowKey(row)}
                      role="row"
                      class="vrow"
                      aria-rowindex={at + 2}
                    >
                      {columns.map((column) => (
                        <div
                          key={column.label}
                          role="cell"
                          class={classOf(column)}
                          data-label={column.label}
                          title={row === undefined ? undefined : column.text?.(row).trim()}
                        >
                          {row === undefined ? <span class="vwait">…</span> : column.cell(row)}
                        </div>
                      ))}
                    </div>
                  );
                })}
              </div>
            </div>
          </div>
        </div>
      )}
      {error !== undefined && list.rows.length > 0 && (
        <Failure what={`more ${noun}s`} error={error} retry={keyset.reload} />
      )}
      {rowsBeyond(list) > 0 && (
        <p class="faint">
          {countOf(rowsBeyond(list), noun)} more than can be scrolled to: search, or sort the other way round.
        </p>
      )}
    </div>
  );
}

function classOf<Row>({ align, keep }: Column<Row>): string {
  return `vcell${align === 'end' ? ' is-end' : ''}${keep ? ' is-kept' : ''}`;
}

function HeadCell<Row>({
  column,
  sorting,
  sort,
}: { readonly column: Column<Row> } & Pick<VirtualTableProps<Row>, 'sorting' | 'sort'>) {
  const { label, sort: by } = column;
  const className = classOf(column);
  if (by === undefined || sorting === undefined) {
    return (
      <div role="columnheader" class={className}>
        {label}
      </div>
    );
  }
  const isSorted = sorting.by === by;
  const next = isSorted && sorting.order === 'asc' ? 'desc' : 'asc';
  return (
    <div
      role="columnheader"
      class={className}
      aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" class="sort" onClick={() => sort(by, next)}>
        {label}
        <span aria-hidden="true" class="sort-mark">
          {isSorted ? (sorting.order === 'asc' ? '▲' : '▼') : ''}
        </span>
      </button>
    </div>
  );
}

function statusOf({ list, loading, stale }: Keyset<unknown>, noun: string): string {
  if (stale || (loading && list.rows.length === 0)) {
    return list.searched === null || stale ? 'Loading …' : `Searching … ${formatCount(list.searched)} looked at`;
  }
  const searched = list.searched === null ? '' : `, ${formatCount(list.searched)} looked at`;
  if (list.next === null) return countOf(list.rows.length, noun) + searched;
  if (list.total !== null) return countOf(list.total, noun) + searched;
  return `${countOf(list.rows.length, noun)} so far${searched}${loading ? ' …' : ''}`;
}
