// How wide the columns of a table are: as wide as what they say, so that nothing is cut beside empty space. The first takes
// what is left. A column in which nothing stands is left out; where there is no room for all, those that matter least are.

export interface MeasuredColumn {
  /** Width of its longest text, or of its label if that is wider, in pixels. */
  readonly natural: number;
  /** Whether no row says anything in it. */
  readonly isEmpty: boolean;
  /** Left out last. */
  readonly isKept: boolean;
}

/** Wider ones are cut: one long text must not take the room of all others. */
const WIDEST = 340;
const FIRST_LEAST = 220;

/** Pixels for each column; undefined for those that are left out. The first column is always there, and first. */
export function fitColumns(columns: readonly MeasuredColumn[], available: number, gap: number): (number | undefined)[] {
  const [first, ...others] = columns;
  if (first === undefined) return [];
  const widths = others.map(({ natural, isEmpty }) => (isEmpty ? undefined : Math.ceil(Math.min(natural, WIDEST))));
  const room = () =>
    available - widths.reduce<number>((sum, width) => sum + (width === undefined ? 0 : width + gap), 0);
  // From the right, what need not be kept before what should be.
  for (const isKept of [false, true]) {
    for (let at = others.length - 1; at >= 0 && room() < FIRST_LEAST; at--) {
      if (others[at]?.isKept === isKept) widths[at] = undefined;
    }
  }
  return [Math.max(FIRST_LEAST, Math.floor(room())), ...widths];
}

/** The longest texts, one of which is the widest: letters differ in width, but not that much. */
export function longestTexts<Row>(rows: readonly Row[], text: (row: Row) => string, most = 8): string[] {
  const longest: string[] = [];
  let shortest = 0;
  for (const row of rows) {
    const said = text(row);
    if (said === '' || (longest.length === most && said.length <= shortest)) continue;
    longest.push(said);
    longest.sort((a, b) => b.length - a.length);
    longest.length = Math.min(longest.length, most);
    shortest = longest.at(-1)?.length ?? 0;
  }
  return longest;
}
