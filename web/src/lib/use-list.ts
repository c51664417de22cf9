// A long list whose filters and order stand in the address, so that what is shown can be kept, sent and reloaded.

import { useQuery } from './navigation.ts';
import { queryOf } from './route.ts';
import { type Keyset, useKeyset } from './use-keyset.ts';

export interface Sorting {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

export interface List<Row> {
  readonly keyset: Keyset<Row>;
  /** What a filter is set to; empty when it is not. */
  readonly value: (name: string) => string;
  readonly isFiltered: boolean;
  /** Undefined for a list that has one order only. */
  readonly sorting: Sorting | undefined;
  /** Sets filters, or the order. */
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void;
}

interface ListOptions {
  /** Filters that the address may have. */
  readonly filters: readonly string[];
  /** Order when the address says none. */
  readonly sorting?: Sorting;
  /** Filters that are always set. */
  readonly always?: Readonly<Record<string, string>>;
}

export function useList<Row>(path: string, { filters, sorting: first, always }: ListOptions): List<Row> {
  const [query, change] = useQuery();
  const value = (name: string) => query.get(name) ?? '';
  const order = query.get('order') ?? first?.order;
  const sorting = first && ({ by: query.get('sort') ?? first.by, order: order === 'desc' ? order : 'asc' } as const);
  const filter = Object.fromEntries(filters.map((name) => [name, value(name)]));
  const keyset = useKeyset<Row>(
    `${path}${queryOf({ ...filter, ...always, ...(sorting && { sort: sorting.by, order: sorting.order }) })}`,
  );
  return { keyset, value, isFiltered: Object.values(filter).some((given) => given !== ''), sorting, change };
}
