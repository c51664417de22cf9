// What an author's code must not call, for it would end the run, change it, or go on when the code is done. Each throws for as
// long as that code runs.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';

const NO_EXIT = 'Throw an error for a page that cannot be read: the page is then failed, and the run goes on.';
const NO_LATER = 'Scrapers wait for nothing: do it at once, or leave it out.';
const NO_FETCH = 'Yield get(…) or post(…), and read the answer in a step.';

const REFUSED: readonly (readonly [on: object, name: string, shown: string, remedy: string])[] = [
  [process, 'exit', 'process.exit', NO_EXIT],
  [process, 'chdir', 'process.chdir', 'Write paths that do not depend on the working directory.'],
  [globalThis, 'setTimeout', 'setTimeout', NO_LATER],
  [globalThis, 'setInterval', 'setInterval', NO_LATER],
  [globalThis, 'setImmediate', 'setImmediate', NO_LATER],
  [globalThis, 'queueMicrotask', 'queueMicrotask', NO_LATER],
  [globalThis, 'fetch', 'fetch', NO_FETCH],
];

const refusals = REFUSED.map(([on, name, shown, remedy]) => {
  const value = () => {
    throw new CurlewError(ErrorCode.stepFailed, `A scraper must not call ${shown}().`, { remedy });
  };
  return { on, name, refusal: { value, configurable: true, enumerable: true, writable: true } };
});

/** From now on. Gives what allows it again. */
export function refuseSideEffects(): () => void {
  // As properties, and not as values: to read `fetch` loads all that it needs.
  const before = refusals.map(({ on, name }) => Object.getOwnPropertyDescriptor(on, name));
  for (const { on, name, refusal } of refusals) Object.defineProperty(on, name, refusal);
  return () => {
    for (const [index, { on, name }] of refusals.entries()) Object.defineProperty(on, name, before[index] ?? {});
  };
}
