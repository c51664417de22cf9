// A part of a compiled selector: whether it matches an element.

import type { Element } from 'domhandler';

export type Matcher = (element: Element) => boolean;

/** Whether both match; the second is only asked when the first does. Undefined stands for what always matches. */
export function both(first: Matcher, second: Matcher | undefined): Matcher {
  return second === undefined ? first : (element) => first(element) && second(element);
}

/** Whether one of them matches. */
export function either(matchers: readonly Matcher[]): Matcher {
  const [first, ...rest] = matchers;
  if (first === undefined) return () => false;
  return rest.reduce((one, other) => (element) => one(element) || other(element), first);
}
