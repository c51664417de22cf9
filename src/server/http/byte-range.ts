// Which part of a file a `Range` header asks for (RFC 9110 §14). One range of bytes is served; several, other units and what
// cannot be read are ignored, as the RFC allows, and the whole file is sent.

export type ByteRange =
  | { readonly kind: 'whole' }
  /** Both ends included. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const WHOLE: ByteRange = { kind: 'whole' };

/** What the file is known by, to tell whether it is still the one that a part is wanted of. */
export interface Validators {
  /** Strong: the same bytes. */
  readonly etag: string;
  /** In ms. */
  readonly modifiedAt: number;
}

export function readRange(
  range: string | undefined,
  ifRange: string | undefined,
  size: number,
  now: Validators,
): ByteRange {
  if (range === undefined || !isCurrent(ifRange, now)) return WHOLE;
  const [, from = '', to = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(range) ?? [];
  if (from === '' && to === '') return WHOLE;
  if (from === '') {
    const length = Number(to);
    if (length === 0 || size === 0) return { kind: 'unsatisfiable' };
    return { kind: 'part', first: Math.max(0, size - length), last: size - 1 };
  }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < first) return WHOLE;
  return first >= size ? { kind: 'unsatisfiable' } : { kind: 'part', first, last };
}

/** RFC 9110 §13.1.5: with another file than the one that is meant, the whole is sent. A weak validator is never enough. */
function isCurrent(ifRange: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (/^(W\/)?"/.test(ifRange)) return ifRange === etag;
  return Date.parse(ifRange) === Math.floor(modifiedAt / 1_000) * 1_000;
}
