// Where a text stops being JSON (RFC 8259). The runtime's own message tells the place only sometimes. Iterative.

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const STRING_PART = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** The index of the first character that cannot stand where it stands; the text's length when it ends too early. */
export function jsonErrorPosition(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const character = text[at];
    const container = open.at(-1);
    if (expected === 'comma or end' && container === undefined) return at;
    if (expected === 'colon') {
      if (character !== ':') return at;
      expected = 'value';
      at += 1;
    } else if (expected === 'comma or end' && character === ',') {
      expected = container === '{' ? 'key' : 'value';
      at += 1;
    } else if (expected.endsWith('end') && character === (container === '{' ? '}' : ']')) {
      open.pop();
      expected = 'comma or end';
      at += 1;
    } else if (expected === 'key' || expected === 'key or end') {
      if (character !== '"') return at;
      const end = endOfString(text, at);
      if (!end.closed) return end.at;
      expected = 'colon';
      at = end.at;
    } else if (expected === 'comma or end') {
      return at;
    } else if (character === '{' || character === '[') {
      open.push(character);
      expected = character === '{' ? 'key or end' : 'value or end';
      at += 1;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (!end.closed) return end.at;
      expected = 'comma or end';
      at = end.at;
    } else {
      const end = endOf(SCALAR, text, at);
      if (end === undefined) return at;
      expected = 'comma or end';
      at = end;
    }
  }
}

function endOfString(text: string, start: number): { readonly closed: boolean; readonly at: number } {
  let at = start + 1;
  for (;;) {
    at = endOf(STRING_PART, text, at) ?? at;
    if (text[at] === '"') return { closed: true, at: at + 1 };
    const end = endOf(ESCAPE, text, at);
    if (end === undefined) return { closed: false, at };
    at = end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
