// Has an author's code that gives one thing after the other, an entry or a speculator, give some of them: for a moment, so that
// others have their turn, and held to the time of a step.

import { systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { type AuthorCode, asAuthor } from './left-behind.ts';
import { doWithin } from './time-limit.ts';

export interface Turn<T> {
  readonly taken: readonly T[];
  /** Whether there is no more. */
  readonly isDone: boolean;
}

const TURN_MS = 25;

/**
 * Takes what `values` gives in this turn, at least one and at most `most`. `code` says whose they are, as it stands. Rejects
 * with what they throw, or `step_timeout` when one of them takes longer than `timeoutMs`: there is no more of them then.
 */
export function takeTurn<T>(
  values: Iterator<T>,
  most: number,
  timeoutMs: number,
  code: () => AuthorCode,
): Promise<Turn<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Turn<T>>();
  // Not as the answer to a promise: its own promises could not settle before it is done.
  setImmediate(() => {
    try {
      const taken: T[] = [];
      let isDone = false;
      const until = systemClock.monotonic() + TURN_MS;
      const takeSome = () => {
        do {
          const next = values.next();
          if (next.done) isDone = true;
          else taken.push(next.value);
        } while (!isDone && taken.length < most && systemClock.monotonic() < until);
      };
      const isInTime = doWithin(TURN_MS + timeoutMs, () => asAuthor(code(), takeSome));
      if (!isInTime) throw notDone(code(), timeoutMs);
      resolve({ taken, isDone });
    } catch (error) {
      reject(error);
    }
  });
  return promise;
}

function notDone({ name, place }: AuthorCode, timeoutMs: number): CurlewError {
  const where = place === undefined ? '' : `, for ${place}`;
  return new CurlewError(ErrorCode.stepTimeout, `${name} was not done after ${timeoutMs / 1000} s${where}.`, {
    remedy:
      'Look for a loop that does not end, or a regular expression that goes back over its text again and again; or give it ' +
      'more time with --step-timeout. Then continue with curlew resume latest.',
  });
}
