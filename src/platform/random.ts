// The only source of chance. Jitter takes a Random, so that a test can fix it.

import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `bytes` random bytes as lower-case hex; unguessable on the system source. */
  hex(bytes: number): string;
  /** A version 4 UUID (RFC 9562 §5.4) in lower case. */
  uuid(): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: () => randomUUID(),
};

/** A repeatable source (mulberry32): the same seed gives the same numbers. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (bytes: number) =>
    Array.from({ length: bytes }, () =>
      Math.floor(next() * 256)
        .toString(16)
        .padStart(2, '0'),
    ).join('');
  const uuid = () =>
    hex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, (_all, a, b, c, d, e) => `${a}-${b}-4${c}-8${d}-${e}`);
  return { next, hex, uuid };
}
