// Values that survive being written to the ledger and read back.

/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns the path of the first part of `value` that JSON would lose or change (`.when`, `[2].size`),
 * or undefined when all of it survives. Properties that are undefined count as absent.
 */
export function findNonJson(value: unknown, path = ''): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? undefined : path || 'value';
    case 'object':
      break;
    default:
      return path || 'value';
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const bad = findNonJson(value[index], `${path}[${index}]`);
      if (bad !== undefined) return bad;
    }
    return undefined;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return path || 'value';
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue;
    const bad = findNonJson(part, `${path}.${key}`);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
