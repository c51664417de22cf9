// What a replay changed: records added, lost and changed against the run it replays. Records of one page are compared by
// their kind and place on it, so a changed field shows as a change and not as one lost and one added.

import type { StoredRecord } from '../ledger/record-table.ts';

export interface RecordDiff {
  readonly change: 'added' | 'lost' | 'changed';
  readonly kind: string;
  readonly url: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A record's place: page, step, kind, and the how-manieth of that kind there. */
class Places {
  readonly #seen = new Map<string, number>();

  of({ kind, url, step }: StoredRecord): string {
    const where = JSON.stringify([url, step, kind]);
    const ordinal = this.#seen.get(where) ?? 0;
    this.#seen.set(where, ordinal + 1);
    return `${where}#${ordinal}`;
  }
}

/** Compares two sets of records, whatever their order. */
export async function* compareRecords(
  before: AsyncIterable<StoredRecord>,
  after: AsyncIterable<StoredRecord>,
): AsyncGenerator<RecordDiff> {
  const old = new Map<string, StoredRecord>();
  const oldPlaces = new Places();
  for await (const stored of before) old.set(oldPlaces.of(stored), stored);
  const newPlaces = new Places();
  for await (const found of after) {
    const place = newPlaces.of(found);
    const stored = old.get(place);
    old.delete(place);
    const { kind, url } = found;
    if (stored === undefined) yield { change: 'added', kind, url, before: undefined, after: found.data };
    else if (differs(stored, found)) yield { change: 'changed', kind, url, before: stored.data, after: found.data };
  }
  for (const { kind, url, data } of old.values()) yield { change: 'lost', kind, url, before: data, after: undefined };
}

function differs(one: StoredRecord, other: StoredRecord): boolean {
  return one.valid !== other.valid || canonical(one.data) !== canonical(other.data);
}

/** JSON with the keys of objects in order, so that only values count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
