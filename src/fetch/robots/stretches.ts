// Every stretch of a text, so that it is known in one step per letter whether something stands in it, and where first and
// last: a suffix automaton. As large as the text is long, times the number of its letters. It is made in one loop without
// calls, for that happens before anything is compiled.

const ROOT = 0;
const NONE = -1;

export class Stretches {
  /** By state (0 before the first letter), times the number of letters, and letter: the next state, 0 when that stands nowhere. */
  readonly next: Int32Array;
  /** By state: where what was read ends the first time, and the last. */
  readonly firstEnd: Int32Array;
  readonly lastEnd: Int32Array;

  /** `text` is made of `letters` letters, the numbers below that. */
  constructor(text: Uint8Array, letters: number) {
    const most = 2 * text.length + 1;
    const next = new Int32Array(most * letters);
    const firstEnd = new Int32Array(most);
    const lastEnd = new Int32Array(most);
    /** By state: how long the longest of its stretches is. */
    const length = new Int32Array(most);
    /** By state: where the longest stretches that end like its own, and elsewhere too, are found. */
    const link = new Int32Array(most).fill(NONE);
    /** By place: the state of all that stands before it. */
    const wholes = new Int32Array(text.length + 1);
    let states = 1;
    for (let at = 0; at < text.length; at++) {
      const letter = text[at] ?? 0;
      const whole = states++;
      wholes[at + 1] = whole;
      length[whole] = at + 1;
      firstEnd[whole] = at + 1;
      let before = wholes[at] ?? ROOT;
      for (; before !== NONE && next[before * letters + letter] === ROOT; before = link[before] ?? NONE) {
        next[before * letters + letter] = whole;
      }
      if (before === NONE) {
        link[whole] = ROOT;
        continue;
      }
      // The state of just what `before` and `letter` have together is made out of a longer one if there is none.
      const longer = next[before * letters + letter] ?? ROOT;
      const shared = (length[before] ?? 0) + 1;
      if (length[longer] === shared) {
        link[whole] = longer;
        continue;
      }
      const copy = states++;
      length[copy] = shared;
      firstEnd[copy] = firstEnd[longer] ?? 0;
      next.copyWithin(copy * letters, longer * letters, (longer + 1) * letters);
      link[copy] = link[longer] ?? ROOT;
      link[longer] = copy;
      link[whole] = copy;
      for (; before !== NONE && next[before * letters + letter] === longer; before = link[before] ?? NONE) {
        next[before * letters + letter] = copy;
      }
    }
    // From the end: what a stretch ends with stands wherever it does, and who was there first was there last.
    for (let end = text.length; end > 0; end--) {
      let state = wholes[end] ?? ROOT;
      for (; state !== ROOT && lastEnd[state] === 0; state = link[state] ?? ROOT) lastEnd[state] = end;
    }
    this.next = next;
    this.firstEnd = firstEnd;
    this.lastEnd = lastEnd;
  }
}
