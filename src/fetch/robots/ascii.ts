// ASCII, byte by byte. Bytes above it are parts of UTF-8 letters (0xA0 ends many of them) and are left alone.

/** White space within a line. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c;
}

/** Every byte, with capital letters made small. A table, for it is looked up before anything is compiled. */
export const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);
