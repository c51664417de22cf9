// Runs the author's code, and tells what it leaves behind. Promises that settle at once are waited for: one that is rejected is
// an error of the code that left it, and one that loops is ended with it. What fails later is told to whoever watches, with
// the name of the code that it came from. Neither ends the process.

import { AsyncLocalStorage } from 'node:async_hooks';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';

/** A piece of the author's code. */
export interface AuthorCode {
  /** Whose it is: what `watchLeftBehind` was given. */
  readonly owner: object;
  /** `Court.parseCase`, `Entry recent of Court`. */
  readonly name: string;
  /** The address or the id that it was called for. Undefined: for none. */
  readonly place: string | undefined;
}

type Left = (what: string) => void;

class Call {
  readonly code: AuthorCode;
  isOver = false;
  rejected: { readonly reason: unknown } | undefined;

  constructor(code: AuthorCode) {
    this.code = code;
  }
}

const calls = new AsyncLocalStorage<Call | undefined>();
const watchers = new Map<object, Left>();

/** Calls `work`. Throws what it throws, and `step_failed` when it left a promise behind that is rejected. */
export function asAuthor<T>(code: AuthorCode, work: () => T): T {
  const call = new Call(code);
  let result: T;
  try {
    result = calls.run(call, work);
  } finally {
    settlePromises();
    call.isOver = true;
  }
  if (call.rejected === undefined) return result;
  throw new CurlewError(
    ErrorCode.stepFailed,
    `${code.name} left a promise behind that was rejected: ${messageOf(call.rejected.reason)}`,
    { remedy: 'Scrapers wait for nothing: leave out what is async.', cause: call.rejected.reason },
  );
}

/** Code that is ended in the middle cannot say that it is over: what comes after `work` is not the author's. */
export function asOurselves<T>(work: () => T): T {
  return calls.run(undefined, work);
}

/** Has promises that are settled call back now, not after this turn of the event loop. No effect when called by one of them. */
export function settlePromises(): void {
  // Not documented, but there since Node began. Without it a rejected promise is told as one that failed later.
  (process as { _tickCallback?: () => void })._tickCallback?.();
}

/** From now on `onLeft` hears what the code of `owner` left behind and failed later. Gives what ends that. */
export function watchLeftBehind(owner: object, onLeft: Left): () => void {
  if (watchers.size === 0) {
    process.on('unhandledRejection', onRejection);
    process.on('uncaughtException', onException);
  }
  watchers.set(owner, onLeft);
  return () => {
    if (watchers.delete(owner) && watchers.size === 0) unlisten();
  };
}

function unlisten(): void {
  process.off('unhandledRejection', onRejection);
  process.off('uncaughtException', onException);
}

function onRejection(reason: unknown): void {
  const call = calls.getStore();
  if (call !== undefined && !call.isOver) call.rejected ??= { reason };
  else if (call !== undefined) tell(call, reason);
  else if (process.listenerCount('unhandledRejection') === 1) endProcess(reason);
}

function onException(error: unknown): void {
  const call = calls.getStore();
  if (call !== undefined) tell(call, error);
  else if (process.listenerCount('uncaughtException') === 1) endProcess(error);
}

function tell({ code: { owner, name, place } }: Call, error: unknown): void {
  const where = place === undefined ? '' : `, for ${place}`;
  watchers.get(owner)?.(`${name} left something behind that failed later: ${messageOf(error)}${where}`);
}

/** For the end of a run. */
export function leftBehind(what: string): CurlewError {
  return new CurlewError(ErrorCode.stepFailed, what, {
    remedy: 'Scrapers wait for nothing: leave out what is async. Nothing was lost; continue with curlew resume latest.',
  });
}

/** Nobody else listens, and it is not the author's: as if we did not listen either. */
function endProcess(error: unknown): void {
  unlisten();
  process.nextTick(() => {
    throw error;
  });
}
