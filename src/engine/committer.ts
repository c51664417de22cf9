// Gathers finished pages, and has them made true many at a time. The first failure ends it: nothing of that group or after it
// is committed.

import type { HostId } from '../ledger/page-result.ts';
import type { CommitResult, UnsavedMemory } from '../ledger/run-writer.ts';
import type { Clock } from '../platform/clock.ts';
import type { PreparedPage, Scribe } from './scribe.ts';

export interface CommitterOptions {
  readonly scribe: Pick<Scribe, 'commit'>;
  readonly clock: Clock;
  /** What fetching learnt since the last commit. */
  readonly unsaved: () => UnsavedMemory | undefined;
  /** Called after each commit, with the pages and what the ledger handed out in return. */
  readonly onCommitted: (pages: readonly PreparedPage[], result: CommitResult) => void;
  /** Called once, when a commit has failed. */
  readonly onFailed: (error: unknown) => void;
  /** Whether more pages are about to finish: then it is worth waiting for them a moment. */
  readonly moreToCome: () => boolean;
}

const FULL_GROUP = 32;
const GROUP_MS = 4;
/** What may wait for its commit before no new request is begun. */
const MOST_PAGES = 256;
const MOST_BYTES = 16 * 1024 * 1024;

export class Committer {
  readonly #options: CommitterOptions;
  #pages: PreparedPage[] = [];
  #wanted = new Map<HostId, number>();
  #running: Promise<void> | undefined;
  /** Ends the wait for more pages. */
  #hurry: () => void = () => {};
  #failed = false;
  #waitingPages = 0;
  #waitingBytes = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Whether nothing waits to be committed. */
  get isEmpty(): boolean {
    return this.#waitingPages === 0;
  }

  /** Whether so much waits that no new request should be begun. */
  get isFull(): boolean {
    return this.#waitingPages >= MOST_PAGES || this.#waitingBytes >= MOST_BYTES;
  }

  submit(page: PreparedPage): void {
    this.#pages.push(page);
    this.#waitingPages++;
    this.#waitingBytes += bytesOf(page);
    if (this.#pages.length >= FULL_GROUP) this.#hurry();
    this.#start();
  }

  /** Asks for `count` requests of a host with the next commit. */
  want(host: HostId, count: number): void {
    this.#wanted.set(host, count);
    this.#start();
  }

  /** To be called when `moreToCome` has become false: what waits for others waits in vain. */
  hurry(): void {
    this.#hurry();
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
          await Promise.race([
            this.#options.clock.sleep(GROUP_MS),
            new Promise<void>((resolve) => {
              this.#hurry = resolve;
            }),
          ]);
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
    const { scribe, unsaved, onCommitted } = this.#options;
    const [pages, wanted, bytes] = [this.#pages, this.#wanted, this.#waitingBytes];
    [this.#pages, this.#wanted] = [[], new Map()];
    const result = await scribe.commit({ pages, wanted, memory: unsaved() });
    this.#waitingPages -= pages.length;
    this.#waitingBytes -= bytes;
    onCommitted(pages, result);
  }
}

/** No less than what a page holds in memory until it is committed: bodies are counted as they were before they were encoded. */
function bytesOf({ exchanges }: PreparedPage): number {
  return exchanges.reduce((sum, { facts }) => sum + (facts.filePath === undefined ? facts.bodySize : 0), 0);
}
