// A file name that any system can hold, made from whatever a remote server says. Pure, and a name that is safe stays as it
// is. Two remote names may become one: files lie in a directory of their content's hash, so they cannot collide.

const MOST_BYTES = 180;
const LONGEST_EXTENSION_BYTES = 20;
const FALLBACK = 'file';

/** Control, format (bidi, zero-width) and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** What Windows forbids in names; the separators have been dealt with before. */
const RESERVED = /[<>:"|?*/\\]/g;
/** Names that Windows takes for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;

/**
 * The last path segment of `remoteName` in Unicode NFC, without control, bidi or zero-width characters, separators,
 * leading or trailing dots and spaces, or Windows device names, and of at most 180 bytes of UTF-8. A longer name loses
 * the end of its stem and keeps its extension. Never empty: `file` if nothing is left.
 */
export function safeFileName(remoteName: string): string {
  const visible = remoteName
    .toWellFormed()
    .replace(/[\t\n\r]/g, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC');
  const segments = visible.split(/[/\\]/).map(tidy);
  const name = segments.findLast((segment) => segment !== '') ?? FALLBACK;
  return shorten(DEVICE.test(name) ? `_${name}` : name);
}

function tidy(segment: string): string {
  return segment
    .replace(RESERVED, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
    .replace(/(?<![. ])[. ]+$/, '');
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= LONGEST_EXTENSION_BYTES ? name.slice(dot) : '';
  const stem = extension === '' ? name : name.slice(0, dot);
  let room = MOST_BYTES - Buffer.byteLength(extension);
  let kept = '';
  for (const character of stem) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept.replace(/(?<![. ])[. ]+$/, '')}${extension}`;
}
