// A set of case ids, written the way people say it: ranges with both ends included, or a rule.

import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';

export type IdSet = readonly (readonly [from: number, to: number])[] | ((id: number) => boolean);

export function containsId(set: IdSet, id: number): boolean {
  return typeof set === 'function' ? set(id) : set.some(([from, to]) => id >= from && id <= to);
}

/** Reads `120-131,200,300-` (the last: from 300 on). The empty text is the empty set. */
export function parseIdSet(text: string): IdSet {
  return text === '' ? [] : text.split(',').map(parseRange);
}

function parseRange(text: string): readonly [number, number] {
  const [, from, dash, to] = /^(\d+)(-?)(\d*)$/.exec(text) ?? [];
  if (from === undefined) {
    const remedy = 'Give ids and ranges, such as 120-131,200,300-';
    throw new CurlewError(ErrorCode.usage, `Not a range of ids: ${JSON.stringify(text)}.`, { remedy });
  }
  if (dash === '') return [Number(from), Number(from)];
  return [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
}
