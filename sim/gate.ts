// Who may ask for a file: whoever has a session of this site and a nonce of the present tick or the one before. Nonces
// are the same for everybody, as WordPress gives them to visitors, which is why a page cache can hold a stale one.

import { createHash } from 'node:crypto';
import type { SimRequest } from './reply.ts';

const NONCE_LENGTH = 10;

export interface GateOptions {
  readonly seed: number;
  /** The site's time. */
  readonly now: () => number;
  readonly tickMs: () => number;
  /** Name of the session cookie. Default `pdb-sess`. */
  readonly cookie?: string;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #cookie: string;
  readonly #forgotten = new Set<string>();
  #rotations = 0;
  #sessions = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#cookie = options.cookie ?? 'pdb-sess';
  }

  /** The nonce of this moment: ten hex characters. */
  get nonce(): string {
    return this.#nonceOf(this.#rotations, this.#tick());
  }

  /** One that was good before and is no longer. */
  get staleNonce(): string {
    return this.#nonceOf(this.#rotations - 1, this.#tick());
  }

  /** Makes all nonces given so far worthless. */
  rotateNonce(): void {
    this.#rotations++;
  }

  isGoodNonce(nonce: string): boolean {
    return [0, 1].some((age) => nonce === this.#nonceOf(this.#rotations, this.#tick() - age));
  }

  /** Whether the request brings a session cookie of this site that was not forgotten. */
  knows(request: SimRequest): boolean {
    const session = this.#sessionOf(request);
    const [name = '', signature] = session?.split('.') ?? [];
    return session !== undefined && signature === this.#sign('session', name) && !this.#forgotten.has(session);
  }

  /** Forgets the session of this request: its cookie is worthless from now on. */
  forget(request: SimRequest): void {
    const session = this.#sessionOf(request);
    if (session !== undefined) this.#forgotten.add(session);
  }

  /** Headers that give a new session to whoever has none. */
  welcome(request: SimRequest): Readonly<Record<string, string>> {
    if (this.knows(request)) return {};
    const name = String(++this.#sessions);
    return { 'set-cookie': `${this.#cookie}=${name}.${this.#sign('session', name)}; Path=/; HttpOnly; SameSite=Lax` };
  }

  #sessionOf({ headers }: SimRequest): string | undefined {
    return new RegExp(`(?:^|;\\s*)${this.#cookie}=([^;\\s]*)`).exec(headers.cookie ?? '')?.[1];
  }

  #tick(): number {
    return Math.floor(this.#options.now() / this.#options.tickMs());
  }

  #nonceOf(rotation: number, tick: number): string {
    return this.#sign('nonce', `${rotation}/${tick}`).slice(0, NONCE_LENGTH);
  }

  #sign(purpose: 'session' | 'nonce', value: string): string {
    return createHash('sha256').update(`${this.#options.seed}/${purpose}/${value}`).digest('hex').slice(0, 32);
  }
}
