// Calls a function of the author's outside of a step, so that nothing it does can stop the run: it is held to its time, and what
// it throws is told.

import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { doWithin } from '../steps/time-limit.ts';

export type Called<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string };

export interface AuthorCall {
  /** Whose it is, as errors name it: `Court.court: read`. */
  readonly name: string;
  readonly timeoutMs: number;
  /** What must not be told: the text of the page that it looks at. */
  readonly hides?: () => string;
}

export function callAuthor<T>({ name, timeoutMs, hides }: AuthorCall, work: () => T): Called<T> {
  let called: Called<T> | undefined;
  doWithin(timeoutMs, () => {
    try {
      called = { kind: 'value', value: work() };
    } catch (error) {
      called = { kind: 'failed', reason: `${name}: ${withoutSecrets(tell(error), hides)}` };
    }
  });
  return (
    called ?? { kind: 'failed', reason: `${ErrorCode.stepTimeout}: ${name} was not done after ${timeoutMs / 1000} s` }
  );
}

function tell(error: unknown): string {
  if (error instanceof CurlewError) return error.summary ?? error.message;
  return `threw ${messageOf(error)}${placeOf(error)}`;
}

/** Where it was thrown, in parentheses: ` (court.ts:23:15)`. Empty when not known. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /^\s+at .*$/m.exec(String(error.stack))?.[0] : undefined;
  const [, place] = /([^/\\(]+:\d+:\d+)\)?$/.exec(frame ?? '') ?? [];
  return place === undefined ? '' : ` (${place})`;
}

/** Words of a name or a sentence are told; anything else of the page may be a secret. */
const WORD = /^[A-Za-z]{1,16}[.,:;]?$/;
const SHORTEST_SECRET = 4;

function withoutSecrets(text: string, hides: (() => string) | undefined): string {
  if (hides === undefined) return text;
  const page = hides().replaceAll('\\/', '/');
  const hideOne = (part: string) => {
    const isOfPage = part.length >= SHORTEST_SECRET && !WORD.test(part) && page.includes(part);
    return isOfPage ? '***' : part;
  };
  // First what may be an address, then what is left of tokens with marks around them.
  return text.replaceAll(/[^\s"'`<>(){}[\],;|\\]+/g, hideOne).replaceAll(/[\w-]+/g, hideOne);
}
