// Makes finished pages true, many at a time: their bytes into the archive, then one transaction. Bytes before rows, so a
// row never points at nothing. The first failure ends it: nothing of that batch or after it is committed.

import type { ArchiveWriter } from '../archive/archive-writer.ts';
import type { HostId, PageResult } from '../ledger/page-result.ts';
import type { CommitResult, FetchMemory, RunWriter } from '../ledger/run-writer.ts';
import type { Clock } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { type PreparedExchange, placeExchange } from './prepare-exchange.ts';

/** A page worked to its end, waiting to be committed. */
export interface FinishedPage extends Omit<PageResult, 'exchanges'> {
  readonly exchanges: readonly PreparedExchange[];
}

export interface CommitterOptions {
  readonly writer: RunWriter;
  /** Undefined in a replay, which archives nothing. */
  readonly archive: ArchiveWriter | undefined;
  readonly clock: Clock;
  /** Sync the archive with every commit, for durability over power cuts. */
  readonly sync: boolean;
  /** What fetching learnt since the last commit. */
  readonly unsaved: () => FetchMemory | undefined;
  /** Called after each commit, with the pages and what the ledger handed out in return. */
  readonly onCommitted: (pages: readonly FinishedPage[], result: CommitResult) => void;
  /** Called once, when a commit has failed. */
  readonly onFailed: (error: unknown) => void;
  /** Whether more pages are about to finish: then it is worth waiting for them a moment. */
  readonly moreToCome: () => boolean;
}

const FULL_GROUP = 32;
const GROUP_MS = 4;

export class Committer {
  readonly #options: CommitterOptions;
  #pages: FinishedPage[] = [];
  #wanted = new Map<HostId, number>();
  #running: Promise<void> | undefined;
  #failed = false;
  #inCommit = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Pages that are finished but not yet committed. */
  get backlog(): number {
    return this.#pages.length + this.#inCommit;
  }

  submit(page: FinishedPage): void {
    this.#pages.push(page);
    this.#start();
  }

  /** Asks for `count` requests of a host with the next commit. */
  want(host: HostId, count: number): void {
    this.#wanted.set(host, count);
    this.#start();
  }

  /** Resolves when all that was submitted is committed, or a commit has failed. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #start(): void {
    if (this.#failed || this.#running !== undefined) return;
    this.#running = this.#work();
  }

  async #work(): Promise<void> {
    try {
      // After the current turn, so that all lanes that want something share one transaction.
      await Promise.resolve();
      while (this.#pages.length > 0 || this.#wanted.size > 0) {
        if (this.#pages.length > 0 && this.#pages.length < FULL_GROUP && this.#options.moreToCome()) {
          await this.#options.clock.sleep(GROUP_MS);
        }
        await this.#commitGroup();
      }
    } catch (error) {
      this.#failed = true;
      this.#options.onFailed(error);
    }
    // In the same turn as the last look at the queue: what is submitted later starts the work anew.
    this.#running = undefined;
  }

  async #commitGroup(): Promise<void> {
    const { writer, archive, sync, unsaved, onCommitted } = this.#options;
    const [pages, wanted] = [this.#pages, this.#wanted];
    [this.#pages, this.#wanted] = [[], new Map()];
    this.#inCommit = pages.length;
    const results = pages.map((page) => ({
      ...page,
      exchanges:
        archive === undefined ? [] : page.exchanges.map((one) => placeExchange(one, archive.append(one.encoded))),
    }));
    if (pages.length > 0) {
      await archive?.flush({ sync });
      crashPoint('after-archive');
    }
    crashPoint('before-commit');
    const result = await writer.commit({ results, wanted, memory: unsaved() });
    crashPoint(pages.length > 0 ? 'after-commit' : 'after-claim');
    this.#inCommit = 0;
    onCommitted(pages, result);
  }
}
