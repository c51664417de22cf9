// The next place of something in a text, wherever one stands in it. The last answer is kept while it holds, so that going
// through a text from its start to its end searches it once, however often is asked.

export class Upcoming {
  readonly #find: (from: number) => number;
  #asked = 0;
  #found = -1;

  /** `find` says where the first is at `from` or later: -1 or Infinity without one. */
  constructor(find: (from: number) => number) {
    this.#find = find;
  }

  /** Where the first is at `from` or later; Infinity without one. */
  after(from: number): number {
    if (from >= this.#asked && from <= this.#found) return this.#found;
    const found = this.#find(from);
    this.#asked = from;
    this.#found = found === -1 ? Number.POSITIVE_INFINITY : found;
    return this.#found;
  }
}
