// The work of one host. A lane holds a small window of its queue; the ledger holds the rest. Lanes know nothing of each
// other, so that a slow or closed host never holds up another.

import type { ClaimedRequest, HostId } from '../ledger/page-result.ts';

export class Lane {
  readonly id: HostId;
  readonly host: string;
  readonly #concurrency: number;
  readonly #window: ClaimedRequest[] = [];
  #active = 0;
  #unread = 0;
  /** Whether the ledger may have ready requests for this lane. */
  #mayHaveMore = true;
  #asked = 0;
  /** Whether work came in after the last `ask`, which its answer may have missed. */
  #fedMeanwhile = false;

  constructor(id: HostId, host: string, concurrency: number) {
    this.id = id;
    this.host = host;
    this.#concurrency = concurrency;
  }

  get active(): number {
    return this.#active;
  }

  /** Answers that are not read yet. */
  get unread(): number {
    return this.#unread;
  }

  /**
   * The next request to work on, if the lane has room for it. Each one taken must be `finished`. A lane whose answers are
   * read slowly asks for no more of them.
   */
  take(): ClaimedRequest | undefined {
    if (this.#active >= this.#concurrency || this.#unread >= this.#concurrency) return undefined;
    const next = this.#window.shift();
    if (next !== undefined) this.#active++;
    return next;
  }

  /** A request that did not wait here is worked on. It must be `finished` too. */
  begin(): void {
    this.#active++;
  }

  finished(): void {
    this.#active--;
  }

  /** One that was answered: it holds its body until it is read. */
  answered(): void {
    this.#unread++;
  }

  read(): void {
    this.#unread--;
  }

  /** How many requests to ask the ledger for now; 0: none. What is asked for must be `receive`d. */
  ask(): number {
    if (!this.#mayHaveMore || this.#asked > 0 || this.#window.length >= this.#concurrency) return 0;
    this.#asked = 2 * this.#concurrency - this.#window.length;
    this.#fedMeanwhile = false;
    return this.#asked;
  }

  /** What the ledger handed out in answer to `ask`. Fewer than asked for: there is no more for now. */
  receive(requests: readonly ClaimedRequest[]): void {
    this.#mayHaveMore = requests.length === this.#asked || this.#fedMeanwhile;
    this.#asked = 0;
    this.#window.push(...requests);
  }

  /** New requests of this host were queued, or delayed ones are due. */
  feed(): void {
    this.#mayHaveMore = true;
    this.#fedMeanwhile = true;
  }

  /** Whether nothing is in hand here. */
  get idle(): boolean {
    return this.#active === 0 && this.#window.length === 0 && this.#asked === 0;
  }
}
