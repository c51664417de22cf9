// The lines of one robots.txt that have a meaning, in their order. A value is not copied: it is a place among the bytes.
// All in one piece of memory, for a file may have seventy thousand such lines.

export type RobotsField = (typeof FIELDS)[number];
const FIELDS = ['sitemap', 'agent', 'allow', 'disallow', 'crawl_delay'] as const;

const NUMBERS_PER_LINE = 4;

export class LineTable {
  // For each line: its field, where its value begins and ends, and its number.
  readonly #numbers: Int32Array;
  #used = 0;
  /** The lines that name an agent, by their index. */
  readonly agents: number[] = [];

  /** Has room for `most` lines. */
  constructor(most: number) {
    this.#numbers = new Int32Array(most * NUMBERS_PER_LINE);
  }

  /** How many there are. They are asked for by their index, from 0. */
  get count(): number {
    return this.#used / NUMBERS_PER_LINE;
  }

  /** Adds a line of the file, counted from 1, whose value begins at `from` and ends before `to`; it may be empty. */
  add(field: RobotsField, from: number, to: number, number: number): void {
    if (field === 'agent') this.agents.push(this.count);
    this.#numbers[this.#used++] = FIELDS.indexOf(field);
    this.#numbers[this.#used++] = from;
    this.#numbers[this.#used++] = to;
    this.#numbers[this.#used++] = number;
  }

  field(index: number): RobotsField {
    return FIELDS[this.#numbers[index * NUMBERS_PER_LINE] ?? 0] ?? FIELDS[0];
  }

  from(index: number): number {
    return this.#numbers[index * NUMBERS_PER_LINE + 1] ?? 0;
  }

  to(index: number): number {
    return this.#numbers[index * NUMBERS_PER_LINE + 2] ?? 0;
  }

  /** Which line of the file it is, counted from 1. */
  number(index: number): number {
    return this.#numbers[index * NUMBERS_PER_LINE + 3] ?? 0;
  }
}
