// Where the values of a JSON text end, without reading it. Text that is not JSON has an end too: its own, at the latest.

const BACKSLASH = 0x5c;
const MARK = /["[\]{}]/g;
const SCALAR = /[^\s,\]}]*/y;

/** Behind the string whose opening quote is at `from`. */
export function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let start = quote;
    while (text.charCodeAt(start - 1) === BACKSLASH) start--;
    if ((quote - start) % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Behind the value that begins at `from`. */
export function endOfValue(text: string, from: number): number {
  const first = text.charAt(from);
  if (first === '"') return endOfString(text, from);
  if (first === '[' || first === '{') return endOfContainer(text, from);
  SCALAR.lastIndex = from;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

function endOfContainer(text: string, from: number): number {
  let depth = 0;
  MARK.lastIndex = from;
  while (MARK.test(text)) {
    const at = MARK.lastIndex - 1;
    const mark = text.charAt(at);
    if (mark === '"') MARK.lastIndex = endOfString(text, at);
    else if (mark === '[' || mark === '{') depth++;
    else if (--depth === 0) return at + 1;
  }
  return text.length;
}
