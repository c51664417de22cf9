// The nearest right word to a wrong one, for errors that name it.

/** The candidate with the fewest edits from `word`, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** A sentence, with a space after it, to put before a remedy; empty when no candidate is near enough. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = nearest(word, candidates);
  return guess === undefined ? '' : `Did you mean ${guess}? `;
}

/** Damerau–Levenshtein distance (optimal string alignment): two letters that changed places are one edit. */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = swaps ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substituted, swapped));
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
