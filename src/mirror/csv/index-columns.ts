// Which column of an index holds what. Names are compared without case and surrounding space; of two columns for one field
// the first counts, and the other is kept as it is.

/** What an index can say about a case, each by the names its column may have. */
export interface IndexColumns {
  readonly actions: readonly string[];
  readonly title: readonly string[];
  readonly causeNumber: readonly string[];
  readonly judgmentDate: readonly string[];
  readonly court: readonly string[];
  readonly category: readonly string[];
  readonly subject: readonly string[];
  readonly neutralCitation: readonly string[];
}

export type IndexField = keyof IndexColumns;

/** Without tokens and titles there is no index; without the category nobody could tell which cases are criminal. */
const REQUIRED_FIELDS: readonly IndexField[] = ['actions', 'title', 'category'];

export interface MatchedColumns {
  /** Position of each field that there is. */
  readonly fields: ReadonlyMap<IndexField, number>;
  /** Positions of the columns that are no field, with their names. */
  readonly others: readonly (readonly [position: number, name: string])[];
  /** Names of required columns that are not there. */
  readonly missing: readonly string[];
}

export function matchColumns(header: readonly string[], columns: IndexColumns): MatchedColumns {
  const fields = new Map<IndexField, number>();
  const others: [number, string][] = [];
  const entries = Object.entries(columns) as [IndexField, readonly string[]][];
  for (const [position, cell] of header.entries()) {
    const name = tidy(cell);
    const field = entries.find(([, names]) => names.some((known) => tidy(known) === name))?.[0];
    if (field !== undefined && !fields.has(field)) fields.set(field, position);
    else if (name !== '') others.push([position, unlike(cell.trim(), others)]);
  }
  const missing = REQUIRED_FIELDS.filter((field) => !fields.has(field)).map((field) => columns[field][0] ?? field);
  return { fields, others, missing };
}

/** The name, numbered when there is a column of that name already. */
function unlike(name: string, others: readonly (readonly [number, string])[]): string {
  const same = others.filter(([, other]) => other === name || other.startsWith(`${name} (`)).length;
  return same === 0 ? name : `${name} (${same + 1})`;
}

function tidy(name: string): string {
  return name.replaceAll('\u00a0', ' ').trim().replace(/\s+/g, ' ').toLowerCase();
}
