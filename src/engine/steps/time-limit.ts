// Ends a piece of work on this thread that takes too long. V8 can stop code wherever it is, also in the middle of a regular
// expression; Node offers that for scripts only, so the work is called by one. A watch costs about 0.15 ms: worth it for
// several pages at a time.

import { Script } from 'node:vm';
import { CurlewError, ErrorCode, systemCodeOf } from '../../platform/errors.ts';

const WORK = Symbol.for('curlew.work-within-time');
const script = new Script('globalThis[Symbol.for("curlew.work-within-time")]()', { filename: 'curlew-time-limit' });
const slot = globalThis as { [WORK]?: () => void };

/** What a step gets for `process.exit`: it would end the run, with whatever exit code, as if all was well. */
export function refuseExit(): never {
  throw new CurlewError(ErrorCode.stepFailed, 'A step must not call process.exit().', {
    remedy: 'Throw an error for a page that cannot be read: the page is then failed, and the run goes on.',
  });
}

/** False when it was ended. What ended in the middle has run no `finally`: nothing of it may be used again. */
export function doWithin(ms: number, work: () => void): boolean {
  const { exit } = process;
  slot[WORK] = work;
  process.exit = refuseExit;
  try {
    script.runInThisContext({ timeout: ms });
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  } finally {
    process.exit = exit;
    delete slot[WORK];
  }
}
