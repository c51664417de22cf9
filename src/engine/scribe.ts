// Writes a run down. Its law: bytes before rows, so that a row never points at nothing, and one group of pages is one
// transaction. It owns the run from when it is opened until the run is ended.

import { ArchiveWriter } from '../archive/archive-writer.ts';
import { cutTails } from '../archive/cut-tails.ts';
import type { FetchedExchange } from '../fetch/outcome.ts';
import type { RunStatus } from '../ledger/health.ts';
import type { NewExchange, PageResult } from '../ledger/page-result.ts';
import type { RunId } from '../ledger/run.ts';
import type { CommitResult, RunWriter, UnsavedMemory, Wanted } from '../ledger/run-writer.ts';
import { redactRequest } from '../observe/redact-request.ts';
import type { Clock } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { DataDirectory } from './data-directory.ts';
import type { FinishedPage } from './finish-page.ts';
import { type PreparedExchange, placeExchange, prepareExchange } from './prepare-exchange.ts';

/** A page that waits to be committed: its exchanges are encoded, and so take little room. */
export interface PreparedPage extends FinishedPage {
  readonly exchanges: readonly PreparedExchange[];
}

/** What is to become true at once. */
export interface PageGroup {
  readonly pages: readonly PreparedPage[];
  readonly wanted: Wanted;
  readonly memory: UnsavedMemory | undefined;
}

export interface ScribeOptions {
  readonly run: RunId;
  /** False in a replay, which archives nothing. */
  readonly archives: boolean;
  /** Sync the archive with every commit, for durability over power cuts. */
  readonly sync: boolean;
  /** Leave secrets of requests out of the archive. */
  readonly redacts: boolean;
}

interface World {
  readonly clock: Clock;
  readonly random: Random;
}

export class Scribe implements Pick<RunWriter, 'seed' | 'ask' | 'heartbeat'> {
  readonly seed: RunWriter['seed'];
  readonly ask: RunWriter['ask'];
  readonly heartbeat: RunWriter['heartbeat'];
  readonly #data: DataDirectory;
  readonly #options: ScribeOptions;
  readonly #world: World;
  readonly #writer: RunWriter;
  readonly #ownSegments = new Set<number>();
  #archive: ArchiveWriter | undefined;

  private constructor(data: DataDirectory, options: ScribeOptions, world: World, writer: RunWriter) {
    this.#data = data;
    this.#options = options;
    this.#world = world;
    this.#writer = writer;
    this.seed = (...args) => writer.seed(...args);
    this.ask = (...args) => writer.ask(...args);
    this.heartbeat = (...args) => writer.heartbeat(...args);
  }

  /** Takes the run. Throws `run_owned` when another process has it. */
  static async open(data: DataDirectory, options: ScribeOptions, world: World): Promise<Scribe> {
    const scribe = new Scribe(data, options, world, await data.ledger.takeRun(options.run));
    try {
      if (options.archives) await scribe.#openArchive();
      return scribe;
    } catch (error) {
      await scribe.fail(error);
      throw error;
    }
  }

  /** Archives the exchanges of the pages, commits all of it, and hands out new work. */
  async commit({ pages, wanted, memory }: PageGroup): Promise<CommitResult> {
    const results = this.#archive === undefined ? pages.map(unarchived) : await this.#write(this.#archive, pages);
    crashPoint('before-commit');
    const result = await this.#writer.commit({ results, wanted, memory });
    crashPoint(pages.length > 0 ? 'after-commit' : 'after-claim');
    return result;
  }

  /** Closes the archive, ends the run, and gives it back. */
  async end(status: RunStatus, error: string | undefined): Promise<void> {
    await this.#closeArchive();
    await this.#writer.end(status, error);
  }

  /** Ends the run for an error, if it still can: a full disk or a lost ownership may not let it. */
  async fail(error: unknown): Promise<void> {
    const status = error instanceof CurlewError && error.code !== ErrorCode.internal ? 'interrupted' : 'failed';
    await this.end(status, messageOf(error)).catch(() => {});
  }

  /** Makes what went over the wire ready for the archive. Nothing in a replay, where it is there already. */
  encode(exchanges: readonly FetchedExchange[]): PreparedExchange[] {
    if (this.#archive === undefined) return [];
    const { random } = this.#world;
    const findBody = (sha256: Uint8Array) => this.#data.ledger.findBody(sha256);
    const { redacts } = this.#options;
    return exchanges.map((one) => prepareExchange(redacts ? redactRequest(one) : one, findBody, random));
  }

  /** Puts what was fetched into the archive; only then may rows refer to it. */
  async #write(archive: ArchiveWriter, pages: readonly PreparedPage[]): Promise<PageResult[]> {
    if (pages.length === 0) return [];
    const results: PageResult[] = [];
    for (const page of pages) {
      const exchanges: NewExchange[] = [];
      for (const { encoded, facts } of page.exchanges) {
        const bytes = encoded instanceof Promise ? await encoded : encoded;
        exchanges.push(placeExchange(facts, archive.append(bytes)));
      }
      results.push({ ...page, exchanges });
    }
    await archive.flush({ sync: this.#options.sync });
    crashPoint('after-archive');
    return results;
  }

  /** What a crash left behind the committed ends is cut; this owner then writes to segments of its own. */
  async #openArchive(): Promise<void> {
    const { archive, ledger } = this.#data;
    await cutTails(archive, await ledger.segmentsOf(this.#options.run));
    const allocateSegment = async () => {
      const segment = await this.#writer.addSegment();
      this.#ownSegments.add(segment);
      return segment;
    };
    this.#archive = await ArchiveWriter.open(archive, { allocateSegment, ...this.#world });
  }

  /**
   * A commit may have been refused after its bytes were written, and when another process has completed the run there is no
   * next start to cut them. If this fails, the error that led here is the one to tell.
   */
  async #closeArchive(): Promise<void> {
    const { archive, ledger } = this.#data;
    if (this.#archive === undefined) return;
    await this.#archive.close();
    this.#archive = undefined;
    const ends = (await ledger.segmentsOf(this.#options.run)).filter(({ segment }) => this.#ownSegments.has(segment));
    await cutTails(archive, ends).catch(() => {});
  }
}

function unarchived(page: PreparedPage): PageResult {
  return { ...page, exchanges: [] };
}
