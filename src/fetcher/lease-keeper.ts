// Extends the leases of what is under way, and reports those that are lost. A lease that its worker is just ending is never
// reported: it is gone because its end arrived first, and whether it arrived in time is said by the end itself.

import type { Lease, WorkQueue } from './work-queue.ts';

export class LeaseKeeper {
  readonly #queue: WorkQueue;
  readonly #leaseMs: number;
  readonly #ending = new Set<Lease>();

  constructor(queue: WorkQueue, leaseMs: number) {
    this.#queue = queue;
    this.#leaseMs = leaseMs;
  }

  /** To be said before the first attempt to end a lease, by whatever outcome. */
  ends(lease: Lease): void {
    this.#ending.add(lease);
  }

  /** It is over: nobody works under the lease any more. */
  forget(lease: Lease): void {
    this.#ending.delete(lease);
  }

  /** Gives those that are lost and that nobody is ending. Rejects when the queue cannot be asked. */
  async extend(leases: readonly Lease[]): Promise<readonly Lease[]> {
    const ending = new Set(this.#ending);
    const lost = await this.#queue.extend(leases, this.#leaseMs);
    return lost.filter((lease) => !ending.has(lease) && !this.#ending.has(lease));
  }
}
