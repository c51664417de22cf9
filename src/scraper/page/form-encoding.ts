// application/x-www-form-urlencoded (URL standard §5) in the encoding of the page, as browsers send it: UTF-8, or one of
// the single-byte encodings. A form in a multi-byte legacy encoding (Shift_JIS, GBK, …) is sent in UTF-8.

const SINGLE_BYTE = /^(?:windows-\d+|iso-8859-.+|koi8-.|ibm866|macintosh|x-mac-cyrillic)$/;
const UNESCAPED = /^[\w*.-]$/;

/** Names and values in the order of the form; a name may come several times. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/** The encoding that a form of a page in `pageEncoding` is sent in, among those that `encodeFields` can write. */
export function sendableEncoding(pageEncoding: string): string {
  return SINGLE_BYTE.test(pageEncoding) ? pageEncoding : 'utf-8';
}

/** `a=1&b=x+y`. What `encoding` cannot write becomes a numeric character reference, as browsers do. */
export function encodeFields(fields: FormFields, encoding: string): string {
  if (encoding === 'utf-8')
    return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();
  const codes = byteCodes(encoding);
  return fields.map(([name, value]) => `${encode(name, codes)}=${encode(value, codes)}`).join('&');
}

function encode(text: string, codes: ReadonlyMap<string, number>): string {
  let encoded = '';
  for (const character of text.toWellFormed()) {
    const code = character < '\x80' ? character.charCodeAt(0) : codes.get(character);
    if (UNESCAPED.test(character)) encoded += character;
    else if (character === ' ') encoded += '+';
    else if (code !== undefined) encoded += `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    else encoded += `%26%23${character.codePointAt(0)}%3B`;
  }
  return encoded;
}

const codesByEncoding = new Map<string, ReadonlyMap<string, number>>();

/** The upper half of a single-byte encoding, backwards. */
function byteCodes(encoding: string): ReadonlyMap<string, number> {
  const known = codesByEncoding.get(encoding);
  if (known !== undefined) return known;
  const bytes = Uint8Array.from({ length: 128 }, (_, index) => 128 + index);
  const characters = [...new TextDecoder(encoding).decode(bytes)];
  const codes = new Map(characters.map((character, index) => [character, 128 + index]));
  codes.delete('\ufffd');
  codesByEncoding.set(encoding, codes);
  return codes;
}
