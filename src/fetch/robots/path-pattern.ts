// RFC 9309 §2.2.3: `*` stands for any characters, `$` at the end for the end of the path, and a pattern without it
// matches as a prefix. Every literal between stars is looked for once, from where the one before it ended: the leftmost
// place leaves the most room for the rest, so nothing is ever tried twice and no pattern can make it slow.

/** Does `pattern` match `path` from its start? `$` is special only as the last character. */
export function matchesPattern(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const end = anchored ? pattern.length - 1 : pattern.length;
  let star = pattern.indexOf('*');
  if (star === -1) {
    return anchored ? path === pattern.slice(0, end) : path.startsWith(pattern);
  }
  if (!path.startsWith(pattern.slice(0, star))) return false;

  let reached = star;
  for (;;) {
    const next = pattern.indexOf('*', star + 1);
    if (next === -1) break;
    const found = path.indexOf(pattern.slice(star + 1, next), reached);
    if (found === -1) return false;
    reached = found + (next - star - 1);
    star = next;
  }

  const last = pattern.slice(star + 1, end);
  return anchored ? path.length - last.length >= reached && path.endsWith(last) : path.includes(last, reached);
}
