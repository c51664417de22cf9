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
import { takeTurn } from './steps/author-turn.ts';
import { describeYield, isIterable, yieldsOf } from './yields-of.ts';

const CHUNK = 500;

export class Seeder {
  readonly #definition: ScraperDefinition;
  readonly #seeds: readonly Seed[];
  readonly #scribe: Pick<Scribe, 'seed'>;
  readonly #timeoutMs: number;
  #finished: boolean;

  /** `timeoutMs`: how long an entry may take for one request. */
  constructor(definition: ScraperDefinition, seeds: readonly Seed[], scribe: Pick<Scribe, 'seed'>, timeoutMs: number) {
    this.#definition = definition;
    this.#timeoutMs = timeoutMs;
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
    const { entry } = seed;
    const code = { owner: this.#definition, name: this.#nameOf(entry), place: undefined };
    const requests = this.#requestsOf(seed);
    let yielded = 0;
    for (let isDone = false; !isDone; ) {
      if (stop.aborted) return false;
      const turn = await takeTurn(requests, CHUNK, this.#timeoutMs, () => code);
      isDone = turn.isDone;
      yielded += turn.taken.length;
      const chunk = turn.taken.filter((request) => request !== undefined);
      if (chunk.length > 0 || isDone) onSeeded(await this.#scribe.seed(entry, chunk, yielded, isDone));
    }
    return true;
  }

  /** Undefined for those that were queued before. */
  *#requestsOf(seed: Seed): Generator<NewRequest | undefined, void> {
    let ordinal = 0;
    for (const request of this.#yieldsOf(seed)) {
      yield ordinal < seed.yielded ? undefined : this.#resolve(request, seed.entry, ordinal);
      ordinal++;
    }
  }

  *#yieldsOf(seed: Seed): Generator<unknown, void> {
    const entry = this.#definition.entryNamed(seed.entry);
    const params = readEntryParams(seed.entry, entry, seed.params);
    const name = this.#nameOf(seed.entry);
    try {
      const begun: unknown = entry.begin(params);
      if (isRequest(begun)) yield begun;
      else if (isIterable(begun)) yield* yieldsOf(begun, name, ErrorCode.scraperDefinition);
      else throw strangeEntry(name, begun);
    } catch (cause) {
      throw authorFailure(`${name} failed`, cause);
    }
  }

  #resolve(request: unknown, entry: string, ordinal: number): NewRequest {
    if (!isRequest(request)) throw strangeEntry(this.#nameOf(entry), request);
    const occurrence = `entry ${entry} ${ordinal}`;
    return resolveRequest(request, { base: this.#definition.baseUrl, depth: 0, occurrence }, this.#definition);
  }

  #nameOf(entry: string): string {
    return `Entry ${entry} of ${this.#definition.name}`;
  }
}

function strangeEntry(name: string, given: unknown): CurlewError {
  return new CurlewError(
    ErrorCode.scraperDefinition,
    `${name} gave back ${describeYield(given)}, which is no request.`,
    { remedy: 'An entry gives back what get, post and download return, one or many. It cannot be async.' },
  );
}
