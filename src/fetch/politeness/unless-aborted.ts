// Waiting for something that goes on without us.

import { onAbort } from '../../platform/on-abort.ts';

/** As `promise`, but rejects with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(stopListening);
  });
}
