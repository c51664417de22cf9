// What several walks over the same ids know together: of each id the newest thing that is known. Pure, and read in one pass,
// however many ids there are.

import type { ProbeStretch } from './probe.ts';

type Verdict = ProbeStretch['verdict'];

/**
 * The stretches of all `walks`, the oldest first, as one. That an id exists or is absent is knowledge, and the newest counts;
 * that it was refused, failed or never settled takes nothing back of what was known before.
 */
export function* mergeStretches(walks: readonly Iterable<ProbeStretch>[]): Generator<ProbeStretch> {
  const sources = walks.map((walk) => walk[Symbol.iterator]());
  try {
    yield* joined(sweep(sources));
  } finally {
    for (const source of sources) source.return?.();
  }
}

/** In pieces that no stretch of any walk begins or ends within. */
function* sweep(sources: readonly Iterator<ProbeStretch>[]): Generator<ProbeStretch> {
  const current = sources.map((source) => nextOf(source));
  for (;;) {
    const from = Math.min(...current.map((stretch) => stretch?.from ?? Number.POSITIVE_INFINITY));
    if (from === Number.POSITIVE_INFINITY) return;
    const to = Math.min(
      ...current.flatMap((stretch) => {
        if (stretch === undefined) return [];
        return stretch.from > from ? [stretch.from - 1] : [stretch.to];
      }),
    );
    const verdicts = current.flatMap((stretch) => (stretch?.from === from ? [stretch.verdict] : []));
    yield { from, to, verdict: newestOf(verdicts) };
    for (const [index, stretch] of current.entries()) {
      if (stretch === undefined || stretch.from > to) continue;
      const source = sources[index];
      current[index] = stretch.to > to ? { ...stretch, from: to + 1 } : source && nextOf(source);
    }
  }
}

function nextOf(source: Iterator<ProbeStretch>): ProbeStretch | undefined {
  const next = source.next();
  return next.done === true ? undefined : next.value;
}

function newestOf(verdicts: readonly Verdict[]): Verdict {
  const known = verdicts.findLast((verdict) => verdict === 'hit' || verdict === 'absent');
  return known ?? verdicts.findLast((verdict) => verdict !== 'pending') ?? 'pending';
}

/** Neighbours of one verdict are one stretch. */
function* joined(pieces: Iterable<ProbeStretch>): Generator<ProbeStretch> {
  let open: ProbeStretch | undefined;
  for (const piece of pieces) {
    if (open !== undefined && open.verdict === piece.verdict && open.to === piece.from - 1) {
      open = { ...open, to: piece.to };
      continue;
    }
    if (open !== undefined) yield open;
    open = piece;
  }
  if (open !== undefined) yield open;
}
