// Which fields of records stand in the table: those that most of the first records have, in their order, the plain ones.

const MOST_FIELDS = 5;
const LOOKED_AT = 50;
/** What the server can sort by. */
const SORTABLE = /^[\w -]{1,64}$/;

export function recordFields(rows: readonly { readonly data: unknown }[]): string[] {
  const counts = new Map<string, number>();
  for (const { data } of rows.slice(0, LOOKED_AT)) {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) continue;
    for (const [name, value] of Object.entries(data)) {
      if (SORTABLE.test(name) && (typeof value !== 'object' || value === null)) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  }
  const names = [...counts.keys()];
  const chosen = new Set(
    names
      .toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || names.indexOf(a) - names.indexOf(b))
      .slice(0, MOST_FIELDS),
  );
  return names.filter((name) => chosen.has(name));
}
