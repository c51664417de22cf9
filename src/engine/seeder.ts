// Reads the entries of a run into its queue, a chunk at a time, however many requests they yield. Entries are pure: after
// a crash an entry is read again, and what was queued before is passed over.

import type { NewRequest } from '../ledger/page-result.ts';
import type { CommitResult } from '../ledger/run-writer.ts';
import type { Seed } from '../ledger/seed-table.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { isRequest } from '../scraper/request.ts';
import { authorFailure } from './author-failure.ts';
import { readEntryParams } from './read-params.ts';
import { resolveRequest } from './resolve-request.ts';
import type { Scribe } from './scribe.ts';
import { describeYield, isIterable, yieldsOf } from './yields-of.ts';

const CHUNK = 500;
const PASSED_AT_ONCE = 200;

export class Seeder {
  readonly #definition: ScraperDefinition;
  readonly #seeds: readonly Seed[];
  readonly #scribe: Pick<Scribe, 'seed'>;
  #finished: boolean;

  constructor(definition: ScraperDefinition, seeds: readonly Seed[], scribe: Pick<Scribe, 'seed'>) {
    this.#definition = definition;
    this.#seeds = seeds.filter((seed) => !seed.finished);
    this.#scribe = scribe;
    this.#finished = this.#seeds.length === 0;
  }

  /** Whether every entry has been read to its end. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Queues what the entries yield; `onSeeded` hears of every chunk. Ends early, without error, when `stop` aborts. */
  async run(onSeeded: (result: CommitResult) => void, stop: AbortSignal): Promise<void> {
    for (const seed of this.#seeds) {
      if (!(await this.#read(seed, onSeeded, stop))) return;
    }
    this.#finished = true;
  }

  async #read(seed: Seed, onSeeded: (result: CommitResult) => void, stop: AbortSignal): Promise<boolean> {
    let chunk: NewRequest[] = [];
    let yielded = 0;
    for (const request of this.#requestsOf(seed)) {
      const ordinal = yielded++;
      if (ordinal < seed.yielded) {
        // What is queued is worked on meanwhile: it need not wait until a long entry has been read again.
        if (yielded % PASSED_AT_ONCE === 0) await nextTurn();
        if (stop.aborted) return false;
        continue;
      }
      chunk.push(this.#resolve(request, seed.entry, ordinal));
      if (chunk.length < CHUNK) continue;
      onSeeded(await this.#scribe.seed(seed.entry, chunk, yielded, false));
      chunk = [];
      await nextTurn();
      if (stop.aborted) return false;
    }
    onSeeded(await this.#scribe.seed(seed.entry, chunk, yielded, true));
    return true;
  }

  *#requestsOf(seed: Seed): Generator<unknown> {
    const entry = this.#definition.entryNamed(seed.entry);
    const params = readEntryParams(seed.entry, entry, seed.params);
    try {
      const begun: unknown = entry.begin(params);
      const name = `Entry ${seed.entry} of ${this.#definition.name}`;
      if (isRequest(begun)) yield begun;
      else if (isIterable(begun)) yield* yieldsOf(begun, name, ErrorCode.scraperDefinition);
      else throw strangeEntry(this.#definition.name, seed.entry, begun);
    } catch (cause) {
      throw authorFailure(`Entry ${seed.entry} of ${this.#definition.name} failed`, cause);
    }
  }

  #resolve(request: unknown, entry: string, ordinal: number): NewRequest {
    if (!isRequest(request)) throw strangeEntry(this.#definition.name, entry, request);
    const occurrence = `entry ${entry} ${ordinal}`;
    return resolveRequest(request, { base: this.#definition.baseUrl, depth: 0, occurrence }, this.#definition);
  }
}

function strangeEntry(scraper: string, entry: string, given: unknown): CurlewError {
  return new CurlewError(
    ErrorCode.scraperDefinition,
    `Entry ${entry} of ${scraper} gave back ${describeYield(given)}, which is no request.`,
    { remedy: 'An entry gives back what get, post and download return, one or many. It cannot be async.' },
  );
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
