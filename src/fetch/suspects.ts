// Requests that fail as if their host were down, although it is up. A request goes back to the queue untouched for as
// long as its host may be down; but when the host has shown that it is up between one failure of the request and the
// next, three times over, the trouble is the request's own. In memory only: a new process begins to count anew.

/** Failures against the host's own word that make a request's failures its own. */
const PROOFS = 3;

/** Requests that are remembered; the oldest is forgotten first. */
const MOST_REMEMBERED = 10_000;

interface Suspect {
  readonly host: string;
  /** The host's signs of life when the request failed last. */
  readonly signsOfLife: number;
  readonly proofs: number;
}

export class Suspects {
  readonly #suspects = new Map<string, Suspect>();

  /**
   * The request failed, and no answer came from `host`, which has shown `signsOfLife` so far. True when that is the
   * request's own failing. Never true without a sign of life since its last failure: during an outage all stay innocent.
   */
  failed(request: string, host: string, signsOfLife: number): boolean {
    const last = this.#suspects.get(request);
    const proven = last !== undefined && last.host === host && signsOfLife > last.signsOfLife;
    const proofs = last === undefined || last.host !== host ? 0 : last.proofs + (proven ? 1 : 0);
    this.#suspects.delete(request);
    this.#suspects.set(request, { host, signsOfLife, proofs });
    const [oldest] = this.#suspects.keys();
    if (this.#suspects.size > MOST_REMEMBERED && oldest !== undefined) this.#suspects.delete(oldest);
    return proven && proofs >= PROOFS;
  }

  /** The request was answered. */
  clear(request: string): void {
    this.#suspects.delete(request);
  }

  get size(): number {
    return this.#suspects.size;
  }
}
