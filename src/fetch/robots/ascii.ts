// ASCII, byte by byte. Bytes above it are parts of UTF-8 letters (0xA0 ends many of them) and are left alone.

/** White space within a line. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c;
}

export function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
