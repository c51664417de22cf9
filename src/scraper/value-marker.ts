// References to values of a session within the texts of a request. An author's code may put one into any text, so it is a mark
// there that nobody else can write: a page that could would have a secret sent wherever it likes. In the request that is queued
// each mark is a placeholder, readable and safe in any text, with a list that says what it stands for.

import type { ValueReference } from '../ledger/request-spec.ts';
import { systemRandom } from '../platform/random.ts';

/** Of this thread: marks do not leave it. */
const KEY = `curlew_value_${systemRandom.hex(16)}_`;
const MARK = new RegExp(`${KEY}([0-9a-f]*)_`, 'g');

/** A mark for the reference: letters, digits and `_` only, which no encoding changes. */
export function markerOf(reference: ValueReference): string {
  return `${KEY}${Buffer.from(JSON.stringify(reference)).toString('hex')}_`;
}

/** Whether there is a mark in a text. */
export function hasMark(text: string): boolean {
  return text.includes(KEY);
}

export interface Placed<Parts> {
  readonly parts: Parts;
  /** By placeholder; undefined when there is none. */
  readonly values: Readonly<Record<string, ValueReference>> | undefined;
}

/** The texts of `parts`, plain data, with a placeholder for each mark. The same texts always get the same placeholders. */
export function placeValues<Parts extends object>(parts: Parts): Placed<Parts> {
  const text = JSON.stringify(parts);
  if (!hasMark(text)) return { parts, values: undefined };
  const placeholders = new Map<string, string>();
  const values: Record<string, ValueReference> = {};
  const placed = text.replace(MARK, (mark: string, hex: string) => {
    const known = placeholders.get(mark);
    if (known !== undefined) return known;
    const reference = JSON.parse(Buffer.from(hex, 'hex').toString()) as ValueReference;
    const placeholder = unusedName(reference, text, values);
    placeholders.set(mark, placeholder);
    values[placeholder] = reference;
    return placeholder;
  });
  return { parts: JSON.parse(placed), values };
}

/**
 * `__court.nonce__`, unless that stands in the request already or means something else. There is no `_` in its name, so that no two
 * of them, side by side, can be read as another.
 */
function unusedName(
  { session, path }: ValueReference,
  text: string,
  values: Readonly<Record<string, unknown>>,
): string {
  const name = [session, ...path].map((part) => part.replaceAll(/[^A-Za-z0-9-]/g, '-')).join('.');
  for (let number = 1; ; number++) {
    const placeholder = number === 1 ? `__${name}__` : `__${name}.${number}__`;
    if (!text.includes(placeholder) && !Object.hasOwn(values, placeholder)) return placeholder;
  }
}
