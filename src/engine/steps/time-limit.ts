// Ends a piece of work on this thread that takes too long. V8 can stop code wherever it is, also in the middle of a regular
// expression; Node offers that for scripts only, so the work is called by one. A watch costs about 0.15 ms: worth it for
// several pages at a time.

import { Script } from 'node:vm';
import { systemCodeOf } from '../../platform/errors.ts';
import { asOurselves, settlePromises } from './left-behind.ts';
import { refuseSideEffects } from './refuse-side-effects.ts';

const WORK = Symbol.for('curlew.work-within-time');
const script = new Script('globalThis[Symbol.for("curlew.work-within-time")]()', { filename: 'curlew-time-limit' });
const slot = globalThis as { [WORK]?: () => void };

/** False when it was ended. What ended in the middle has run no `finally`: nothing of it may be used again. */
export function doWithin(ms: number, work: () => void): boolean {
  // Ours first: those that wait when the work is ended are dropped with it.
  settlePromises();
  const { stackTraceLimit } = Error;
  const allow = refuseSideEffects();
  slot[WORK] = work;
  try {
    asOurselves(() => script.runInThisContext({ timeout: ms }));
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  } finally {
    allow();
    Error.stackTraceLimit = stackTraceLimit;
    delete slot[WORK];
  }
}
