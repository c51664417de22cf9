// Keeps the part of the heap where objects are born from growing. V8 lets it grow to 128 MB on a large machine, because
// that saves work when much survives; what a run makes of a page dies with the page, so a fourth of that serves as well.
// Node can only set this for a process before it starts. But V8 asks how much to grow by whenever it grows, and that can
// be changed: once the size is reached, by nothing.

import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

const ENOUGH_BYTES = 16 * 1024 * 1024;

/** For processes that are Curlew's own: it holds for everything that runs in this one. */
export function boundYoungGeneration(): void {
  // Loading the program may have made it large already, and observers are only told between two pieces of work.
  if (stopIfEnough()) return;
  const observer = new PerformanceObserver(() => {
    if (stopIfEnough()) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function stopIfEnough(): boolean {
  if (youngBytes() < ENOUGH_BYTES) return false;
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  return true;
}

/** Bytes that V8 has taken for young objects. */
export function youngBytes(): number {
  return v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
