// String functions (XPath 1.0 §4.2) on plain values. A character is a Unicode code point, and white space is only what XML
// calls so: a no-break space is not.

const SURROGATE = /[\uD800-\uDFFF]/;
const SPACES = /[ \t\r\n]+/g;

export function normalizeSpace(text: string): string {
  const single = text.replace(SPACES, ' ');
  return single.slice(single.startsWith(' ') ? 1 : 0, single.length > 1 && single.endsWith(' ') ? -1 : undefined);
}

export function stringLength(text: string): number {
  return SURROGATE.test(text) ? Array.from(text).length : text.length;
}

/** The characters at the positions p, from 1, with round(start) ≤ p < round(start) + round(length). NaN takes none. */
export function substring(text: string, start: number, length?: number): string {
  const from = Math.round(start);
  const to = length === undefined ? Number.POSITIVE_INFINITY : from + Math.round(length);
  if (Number.isNaN(from) || Number.isNaN(to)) return '';
  const [begin, end] = [Math.max(from, 1) - 1, Math.max(to, 1) - 1];
  return SURROGATE.test(text) ? Array.from(text).slice(begin, end).join('') : text.slice(begin, end);
}

export function substringBefore(text: string, mark: string): string {
  return text.slice(0, Math.max(text.indexOf(mark), 0));
}

export function substringAfter(text: string, mark: string): string {
  const index = text.indexOf(mark);
  return index === -1 ? '' : text.slice(index + mark.length);
}

/**
 * A function that replaces each character of `from` by the one at the same place in `to`, or drops it if there is none. It
 * keeps the last pair, which is nearly always the same: people lower case with it.
 */
export function translator(): (text: string, from: string, to: string) => string {
  let last = { from: '', to: '', map: new Map<string, string>() };
  return (text, from, to) => {
    if (last.from !== from || last.to !== to) last = { from, to, map: replacementMap(from, to) };
    let result = '';
    for (const character of text) result += last.map.get(character) ?? character;
    return result;
  };
}

function replacementMap(from: string, to: string): Map<string, string> {
  const replacements = Array.from(to);
  const map = new Map<string, string>();
  for (const [index, character] of Array.from(from).entries()) {
    if (!map.has(character)) map.set(character, replacements[index] ?? '');
  }
  return map;
}
