// Addresses of files at Box: each says whose file it is, the how-manieth for it, and until when, signed. Nothing is stored
// but the counts, so an address stays good for its whole life, also over a restart.

import { createHash } from 'node:crypto';

export interface SignedUrl {
  readonly token: string;
  readonly isExpired: boolean;
}

export class SignedUrls {
  readonly #seed: number;
  readonly #now: () => number;
  readonly #issued = new Map<string, number>();

  constructor(options: { readonly seed: number; readonly now: () => number }) {
    this.#seed = options.seed;
    this.#now = options.now;
  }

  /** A new path for this case's file, good for `lifeMs`; with 0 it is expired from the start. */
  issue(token: string, lifeMs: number): string {
    const nth = (this.#issued.get(token) ?? 0) + 1;
    this.#issued.set(token, nth);
    const claim = Buffer.from(`${token}.${nth}.${this.#now() + lifeMs}`).toString('base64url');
    return `/d/1/b1!${claim}.${this.#sign(claim)}/download`;
  }

  /** What a path says, or undefined when this site did not sign it. */
  read(pathname: string): SignedUrl | undefined {
    const [, claim = '', signature] = /^\/d\/1\/b1!([\w-]+)\.([\w-]+)\/download$/.exec(pathname) ?? [];
    if (signature !== this.#sign(claim)) return undefined;
    const [token = '', , goodUntil] = Buffer.from(claim, 'base64url').toString().split('.');
    return { token, isExpired: this.#now() >= Number(goodUntil) };
  }

  #sign(claim: string): string {
    return createHash('sha256').update(`${this.#seed}/box/${claim}`).digest('base64url');
  }
}
