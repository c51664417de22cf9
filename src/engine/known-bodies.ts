// Which archived bodies may be referred to instead of being stored again: only those that were read back and found whole. What
// was checked is remembered for the run, up to a number, so that a body that comes a thousand times is read once.

import { ArchiveReader } from '../archive/archive-reader.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { ExchangeId } from '../ledger/page-result.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { readAhead } from '../platform/read-ahead.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';

/** `damaged`: the body is known, and cannot be read where it should be. Whoever stores it anew takes that one's place. */
export type KnownBody =
  | { readonly kind: 'whole'; readonly exchange: StoredExchange }
  | { readonly kind: 'damaged'; readonly id: ExchangeId };

/** A few megabytes. */
const MOST_REMEMBERED = 100_000;

export class KnownBodies {
  readonly #data: Pick<DataDirectory, 'ledger'>;
  readonly #reader: ArchiveReader;
  readonly #whole = new Set<ExchangeId>();
  readonly #checking = new Map<ExchangeId, Promise<KnownBody>>();

  constructor({ ledger, archive, disk }: Pick<DataDirectory, 'ledger' | 'archive' | 'disk'>) {
    this.#data = { ledger };
    // Pages that repeat those of an earlier run come in about the same order.
    this.#reader = new ArchiveReader(archive, readAhead(disk));
  }

  /** At once for a body that is new, or was checked; undefined for one that is new. */
  find(sha256: Uint8Array): KnownBody | Promise<KnownBody> | undefined {
    const held = this.#data.ledger.findBody(sha256);
    if (held === undefined) return undefined;
    const { id, exchange } = held;
    if (exchange === undefined) return { kind: 'damaged', id };
    if (this.#whole.has(id)) return { kind: 'whole', exchange };
    const checking = this.#checking.get(id) ?? this.#check(exchange, Buffer.from(sha256).toString('hex'));
    this.#checking.set(id, checking);
    return checking;
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  async #check(exchange: StoredExchange, sha256: string): Promise<KnownBody> {
    const { id } = exchange;
    try {
      const response = await this.#reader.readResponse(locationOf(exchange));
      if (response.kind !== 'whole' || response.bodySha256 !== sha256) return { kind: 'damaged', id };
      if (this.#whole.size >= MOST_REMEMBERED) this.#whole.clear();
      this.#whole.add(id);
      return { kind: 'whole', exchange };
    } catch (error) {
      if (error instanceof CurlewError && error.code === ErrorCode.archiveDamaged) return { kind: 'damaged', id };
      throw error;
    } finally {
      this.#checking.delete(id);
    }
  }
}
