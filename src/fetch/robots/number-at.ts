// A number as it stands among bytes, read without making a text of it: a file may have forty thousand delays.

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;

/** The number that the value at `from` begins with: digits, and a fraction if there is one; NaN if it begins otherwise. */
export function numberAt(bytes: Uint8Array, from: number, to: number): number {
  const wholeEnd = digitsEnd(bytes, from, to);
  if (wholeEnd === from) return Number.NaN;
  const end = bytes[wholeEnd] === DOT ? digitsEnd(bytes, wholeEnd + 1, to) : wholeEnd;
  let digits = 0;
  let unit = 1;
  for (let at = from; at < end; at++) {
    if (at === wholeEnd) continue;
    digits = digits * 10 + (bytes[at] ?? 0) - ZERO;
    if (at > wholeEnd) unit *= 10;
  }
  return digits / unit;
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isDigit(bytes[at] ?? 0)) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
