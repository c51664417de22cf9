// Tries again and again whether a dependency can be worked with. Only this finds out that it works again: single operations may
// succeed while others are refused.

import { unlessAborted } from '../fetch/politeness/unless-aborted.ts';
import type { Clock } from '../platform/clock.ts';
import type { Dependency } from './dependency.ts';

export interface DependencyWatchOptions {
  readonly state: Dependency;
  readonly clock: Clock;
  readonly everyMs: number;
  /** Rejects with the reason when it cannot be worked with. False: it could, but something else says that it does not work. */
  readonly check: () => Promise<boolean>;
}

/** Until `over` aborts. Never rejects. */
export async function watchDependency(options: DependencyWatchOptions, over: AbortSignal): Promise<void> {
  const { state, clock, everyMs, check } = options;
  while (!over.aborted) {
    try {
      if (await unlessAborted(check(), over)) state.works();
    } catch (error) {
      if (!over.aborted) state.failed(error);
    }
    await clock.sleep(everyMs, over).catch(() => {});
  }
}
