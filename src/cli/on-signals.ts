// Ctrl-C as commands hear it: the first stops gently, the second at once, and one that is held down is no more than that.

import { systemClock } from '../platform/clock.ts';

/** Signals nearer to each other than this are one: a terminal and a launcher may both hand on the same Ctrl-C. */
const SAME_SIGNAL_MS = 50;

/**
 * Counts SIGINT and SIGTERM, to two, until it is released. If one was heard by then, the process is ending: the next ends it
 * at once, with the exit code that is set, and not as one that was killed.
 */
export function onSignals(hear: (count: 1 | 2) => void): () => void {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  let released = false;
  const onSignal = () => {
    const now = systemClock.monotonic();
    if (now - last < SAME_SIGNAL_MS) return;
    // Not moved by those that were passed over: a key that is held down repeats faster than that.
    last = now;
    if (released) process.exit();
    if (count < 2) hear(++count === 1 ? 1 : 2);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    released = true;
    if (count > 0) return;
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
