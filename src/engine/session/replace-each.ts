// Replaces several texts at once: what takes the place of one is not looked at for others.

export function replaceEach(
  text: string,
  replacements: ReadonlyMap<string, string>,
  encode: (replacement: string) => string = (replacement) => replacement,
): string {
  if (replacements.size === 0) return text;
  const longestFirst = [...replacements.keys()].sort((one, other) => other.length - one.length);
  const any = new RegExp(longestFirst.map((one) => one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  return text.replace(any, (found) => encode(replacements.get(found) ?? found));
}
