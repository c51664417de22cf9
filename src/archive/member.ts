// A gzip member, or what is to become one, in parts: a large body is never copied to stand beside its headers.

/** Bytes, one part after the other. */
export type Member = readonly Uint8Array[];
