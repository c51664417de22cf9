// From bytes to text, in the encoding that the page says it is in. Bytes that are wrong in it become U+FFFD.

import { sniffEncoding } from './sniff-encoding.ts';

export interface DecodedText {
  /** Without byte order mark. */
  readonly text: string;
  /** The Encoding Standard's name, in lower case. */
  readonly encoding: string;
}

/**
 * Decodes a body whose content coding has been removed. `contentType` is the header's whole value. The encoding is that
 * of the byte order mark, else of `contentType`, else of the markup's first 1024 bytes, else UTF-8.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { encoding, skip } = sniffEncoding(buffer, contentType);
  const body = skip === 0 ? buffer : buffer.subarray(skip);
  if (encoding !== 'utf-8') return { text: new TextDecoder(encoding, { ignoreBOM: true }).decode(body), encoding };
  return { text: body.toString('utf8'), encoding };
}
