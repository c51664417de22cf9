// The hand of who repairs the archive of a run that is not being worked on: adds exchanges to its requests, and marks those that
// they take the place of. What a request came to, its records and the state of the run stay as they are.

import type { Clock, Instant } from '../../platform/clock.ts';
import { thisProcess } from '../../platform/process-identity.ts';
import type { ShortSegment, StoredExchange } from '../exchange-table.ts';
import { keepMemory } from '../keep-memory.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { NewEvent, NewExchange, RequestId } from '../page-result.ts';
import type { RunId } from '../run.ts';
import type { FencingToken } from '../run-ownership.ts';
import type { UnsavedMemory } from '../run-writer.ts';
import { addOpenLoss } from './open-losses.ts';

/** What is to become true at once. */
export interface RepairedRequest {
  readonly request: RequestId;
  /** Exchanges whose bytes are given up. */
  readonly lost: readonly StoredExchange[];
  readonly reason: string;
  /** Those for which the answer is a different one: they stay findings. */
  readonly different: readonly StoredExchange[];
  /** The new answer: redirects first. Synced to the device. Empty when nothing was fetched. */
  readonly exchanges: readonly NewExchange[];
  readonly event: NewEvent;
}

export class RepairWriter {
  readonly #run: RunId;
  readonly #token: FencingToken;
  readonly #tables: LedgerTables;
  readonly #clock: Clock;

  private constructor(run: RunId, token: FencingToken, tables: LedgerTables, clock: Clock) {
    this.#run = run;
    this.#token = token;
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Takes the run. Throws `run_owned` when a process works on it. */
  static take(run: RunId, tables: LedgerTables, clock: Clock): RepairWriter {
    return tables.database.transaction(() => {
      const token = tables.ownership.take(run, thisProcess(), clock.now());
      tables.exchanges.bodies.catchUp();
      return new RepairWriter(run, token, tables, clock);
    });
  }

  /** Names a new archive segment for this owner's use alone. */
  async addSegment(): Promise<number> {
    return this.#asOwner(() => this.#tables.exchanges.addSegment(this.#run));
  }

  async commit({ request, lost, reason, different, exchanges, event }: RepairedRequest): Promise<void> {
    this.#asOwner((now) => {
      const { exchanges: table, events } = this.#tables;
      for (const exchange of lost) table.markLost(exchange, reason);
      for (const { id } of different) addOpenLoss(this.#tables.database, id);
      for (const [hop, exchange] of exchanges.entries()) {
        table.add(request, hop, exchange);
        const end = exchange.responseOffset + exchange.responseLength;
        table.growSegment(exchange.segment, end);
        table.syncSegment(this.#run, exchange.segment, end);
      }
      table.bodies.write();
      table.replaceLost();
      events.add(this.#run, request, event, now);
    });
  }

  /** Has those of these segments of which nothing that counts is cut off end with what is there, and gives which. */
  async giveUpTails(short: readonly ShortSegment[]): Promise<ShortSegment[]> {
    return this.#asOwner(() => {
      const { exchanges } = this.#tables;
      const given = short.filter((one) =>
        exchanges.beyond(one.segment, one.size).every(({ lost }) => lost !== undefined),
      );
      if (given.length > 0) exchanges.shrinkSegments(this.#run, given);
      return given;
    });
  }

  /** Shows other processes that this one is alive, and keeps what fetching learnt. */
  async heartbeat(memory: UnsavedMemory): Promise<void> {
    this.#asOwner((now) => keepMemory(this.#tables, this.#run, memory, now));
  }

  /** Gives the run back. */
  async release(): Promise<void> {
    this.#tables.database.transaction(() => this.#tables.ownership.release(this.#run, this.#token));
  }

  #asOwner<T>(work: (now: Instant) => T): T {
    const now = this.#clock.now();
    try {
      return this.#tables.database.transaction(() => {
        this.#tables.ownership.assertOwner(this.#run, this.#token, now);
        return work(now);
      });
    } catch (error) {
      this.#tables.hosts.forget();
      this.#tables.exchanges.bodies.forget();
      throw error;
    }
  }
}
