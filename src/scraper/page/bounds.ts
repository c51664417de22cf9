// How many matches a step wants.

/** How many matches there may be; any other number is a StructureError. */
export interface Bounds {
  /** Fewer are an error. Default: 0. */
  readonly atLeast?: number;
  /** More are an error. Default: any number. */
  readonly atMost?: number;
}

export const EXACTLY_ONE: Bounds = { atLeast: 1, atMost: 1 };
export const AT_MOST_ONE: Bounds = { atMost: 1 };
export const ANY_NUMBER: Bounds = {};

export function isWithin(count: number, { atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return count >= atLeast && count <= atMost;
}

/** In words: `exactly 1`, `at least 2`, `2 to 5`. */
export function describeBounds({ atLeast = 0, atMost }: Bounds): string {
  if (atMost === undefined) return `at least ${atLeast}`;
  if (atLeast === atMost) return `exactly ${atMost}`;
  return atLeast === 0 ? `at most ${atMost}` : `${atLeast} to ${atMost}`;
}
