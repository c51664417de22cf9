// The frame of every long list: what narrows it, its rows, and what is said when there are none.

import type { ComponentChildren } from 'preact';
import type { List } from '../lib/use-list.ts';
import type { Column } from './column.ts';
import { Empty } from './loaded.tsx';
import { Choice, type ChoiceOption, SearchBox } from './search-box.tsx';
import { VirtualTable } from './virtual-table.tsx';

interface ListViewProps<Row> {
  readonly list: List<Row>;
  /** For screen readers. */
  readonly label: string;
  /** What one row is: for sentences. */
  readonly noun: string;
  /** Class with the widths of the columns. */
  readonly layout: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string | number;
  /** What a search looks through. */
  readonly searched: string;
  readonly choices?: readonly {
    readonly filter: string;
    readonly label: string;
    readonly options: readonly ChoiceOption[];
    /** What else changes with it. */
    readonly resets?: string;
  }[];
  /** Filters that links set and that can only be removed here. */
  readonly chips?: readonly string[];
  /** Said when there is nothing, and no filter is why. */
  readonly empty: ComponentChildren;
}

export function ListView<Row>(props: ListViewProps<Row>) {
  const { list, label, noun, layout, columns, rowKey, searched, choices = [], chips = [], empty } = props;
  const { keyset, value, isFiltered, sorting, change } = list;
  return (
    <>
      <div class="filters" role="search">
        <SearchBox
          label="Search"
          placeholder={searched}
          value={value('search')}
          search={(text) => change({ search: text })}
        />
        {choices.map(({ filter, label: name, options, resets }) => (
          <Choice
            key={filter}
            label={name}
            value={value(filter)}
            options={[['', 'all'], ...options]}
            choose={(chosen) => change({ [filter]: chosen, ...(resets !== undefined && { [resets]: undefined }) })}
          />
        ))}
        {chips
          .filter((name) => value(name) !== '')
          .map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              onClick={() => change({ [name]: undefined })}
              aria-label={`Remove the filter ${name}: ${value(name)}`}
            >
              {name}: {value(name)} ✕
            </button>
          ))}
      </div>
      <VirtualTable
        label={label}
        noun={noun}
        layout={layout}
        keyset={keyset}
        columns={columns}
        sorting={sorting}
        sort={(by, order) => change({ sort: by, order })}
        rowKey={rowKey}
        empty={
          isFiltered ? (
            <Empty title={`No ${noun} fits`}>
              <p>Search for less, or remove a filter.</p>
            </Empty>
          ) : (
            empty
          )
        }
      />
    </>
  );
}

export function RefreshButton({ list }: { readonly list: List<unknown> }) {
  return (
    <button type="button" onClick={list.keyset.reload}>
      Refresh
    </button>
  );
}
