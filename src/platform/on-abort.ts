// Hears of a signal's end. Signals of a run live as long as the run, and every request listens to them for a moment. Node
// links the listeners of a signal one to the next, and one that is taken off still points at the one after it: once such a
// one is old, each that follows is kept until the next full garbage collection, with all that it knows of its request.
// So a signal gets one listener of ours; those who wait are in a set, and who is taken off is forgotten.

interface Listening {
  /** Undefined once it is over: the set's own old tables may keep the object for a while, and V8 links those too. */
  hear: (() => void) | undefined;
}

const listening = new WeakMap<AbortSignal, Set<Listening>>();

/** Calls `hear` when `signal` aborts; never, when it has aborted already. What it gives back takes that back. */
export function onAbort(signal: AbortSignal, hear: () => void): () => void {
  const all = listening.get(signal) ?? listenTo(signal);
  const mine: Listening = { hear };
  all.add(mine);
  return () => {
    all.delete(mine);
    mine.hear = undefined;
  };
}

function listenTo(signal: AbortSignal): Set<Listening> {
  const all = new Set<Listening>();
  listening.set(signal, all);
  signal.addEventListener('abort', () => tell(all), { once: true });
  return all;
}

/** In the order of asking. Who is taken off by another, or comes meanwhile, is not told. */
function tell(all: Set<Listening>): void {
  for (const one of [...all]) one.hear?.();
  all.clear();
}
