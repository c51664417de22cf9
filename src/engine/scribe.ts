// Writes a run down. Its law: bytes before rows, so that a row never points at nothing, and one group of pages is one
// transaction. It owns the run from when it is opened until the run is ended.
//
// Power cuts. Writes reach the device in any order unless a file is synced, and a row may get there before its bytes. So:
// - the archive is synced before the ledger says that the run has ended, and that row is synced with all before it;
// - the archive is synced before the ledger's log is copied into its file, and after every 16 MiB of it. Up to where it is
//   synced is written down (`synced_end`); what lies behind is read back when the run is taken again, and what is not as it
//   was written is fetched again and told (`archive_lost`);
// - downloads are synced, with the directories above them, before there is a row of them.
// This costs a run two syncs at its end, and some more for every 16 MB of log or archive. `--durability power` syncs archive
// and ledger with every commit instead.

import { ArchiveWriter } from '../archive/archive-writer.ts';
import { cutTails } from '../archive/cut-tails.ts';
import { syncSegments } from '../archive/sync-segments.ts';
import type { FetchedExchange } from '../fetch/outcome.ts';
import type { RunStatus } from '../ledger/health.ts';
import type { NewExchange, PageResult } from '../ledger/page-result.ts';
import type { RunId } from '../ledger/run.ts';
import type { CommitResult, RunWriter, SegmentEnd, UnsavedMemory, Wanted } from '../ledger/run-writer.ts';
import { redactRequest } from '../observe/redact-request.ts';
import type { Clock } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { DataDirectory } from './data-directory.ts';
import { findLostTails } from './find-lost-tails.ts';
import type { FinishedPage } from './finish-page.ts';
import { KnownBodies } from './known-bodies.ts';
import { handleLostBytes } from './lost-bytes.ts';
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
  /** Fetch pages again whose bytes are lost; otherwise a run that lost some is refused. */
  readonly refetchLost: boolean;
}

/** So much of the archive may not be on the device: a resume after a crash reads it back, and nobody shall wait for that. */
const MOST_UNSYNCED_BYTES = 16 * 1024 * 1024;

interface World {
  readonly clock: Clock;
  readonly random: Random;
}

export class Scribe implements Pick<RunWriter, 'seed' | 'ask' | 'heartbeat' | 'takeSetAside'> {
  readonly seed: RunWriter['seed'];
  readonly ask: RunWriter['ask'];
  readonly heartbeat: RunWriter['heartbeat'];
  readonly takeSetAside: RunWriter['takeSetAside'];
  readonly #data: DataDirectory;
  readonly #options: ScribeOptions;
  readonly #world: World;
  readonly #writer: RunWriter;
  readonly #ownSegments = new Set<number>();
  /** What may be referred to instead of being archived again. */
  readonly #bodies: KnownBodies;
  #archive: ArchiveWriter | undefined;
  #unsyncedBytes = 0;
  /** Whether what an earlier process left was looked at. Before that, a sync would only make damage last. */
  #isChecked = false;
  /** The sync that is under way. */
  #syncing: Promise<void> | undefined;

  private constructor(data: DataDirectory, options: ScribeOptions, world: World, writer: RunWriter) {
    this.#data = data;
    this.#options = options;
    this.#world = world;
    this.#writer = writer;
    this.#bodies = new KnownBodies(data);
    this.seed = (...args) => this.#keepingUp(() => writer.seed(...args));
    this.ask = (...args) => this.#keepingUp(() => writer.ask(...args));
    this.heartbeat = (...args) => writer.heartbeat(...args);
    this.takeSetAside = () => writer.takeSetAside();
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
    // What is committed between the sync and the checkpoint would last before its bytes do.
    while (this.#syncing !== undefined) await this.#syncing;
    crashPoint('before-commit');
    const isSynced = this.#options.sync;
    const result = await this.#keepingUp(() => this.#writer.commit({ results, isSynced, wanted, memory }));
    crashPoint(pages.length > 0 ? 'after-commit' : 'after-claim');
    return result;
  }

  /** Closes the archive, ends the run, and gives it back. All of it is on the device then. */
  async end(status: RunStatus, error: string | undefined): Promise<void> {
    await this.#closeArchive();
    await this.#writer.end(status, error, await this.#syncArchive());
  }

  /** Ends the run for an error, if it still can: a full disk or a lost ownership may not let it. */
  async fail(error: unknown): Promise<void> {
    const status = error instanceof CurlewError && error.code !== ErrorCode.internal ? 'interrupted' : 'failed';
    await this.#closeArchive().catch(() => {});
    // What could not be synced is looked at by the next start.
    const synced = await this.#syncArchive().catch(() => []);
    await this.#writer.end(status, messageOf(error), synced).catch(() => {});
  }

  /** Makes what went over the wire ready for the archive. Nothing in a replay, where it is there already. */
  encode(exchanges: readonly FetchedExchange[]): PreparedExchange[] {
    if (this.#archive === undefined) return [];
    const { random } = this.#world;
    const { redacts } = this.#options;
    return exchanges.map((one) => prepareExchange(redacts ? redactRequest(one) : one, this.#bodies, random));
  }

  /** Puts what was fetched into the archive; only then may rows refer to it. */
  async #write(archive: ArchiveWriter, pages: readonly PreparedPage[]): Promise<PageResult[]> {
    if (pages.length === 0) return [];
    const results: PageResult[] = [];
    for (const page of pages) {
      const exchanges: NewExchange[] = [];
      for (const { encoded, facts } of page.exchanges) {
        const body = encoded instanceof Promise ? await encoded : encoded;
        const placed = placeExchange(facts, body, archive.append(body.bytes));
        this.#unsyncedBytes += placed.requestLength + placed.responseLength;
        exchanges.push(placed);
      }
      results.push({ ...page, exchanges });
    }
    await archive.flush({ sync: this.#options.sync });
    crashPoint('after-archive');
    return results;
  }

  async #keepingUp<T>(work: () => Promise<T>): Promise<T> {
    const result = await work();
    if (this.#unsyncedBytes >= MOST_UNSYNCED_BYTES || this.#data.ledger.needsCheckpoint) {
      this.#syncing ??= this.#checkpoint().finally(() => {
        this.#syncing = undefined;
      });
      await this.#syncing;
    }
    return result;
  }

  /** Makes what was committed so far last over a power cut: first the bytes, then the rows. */
  async #checkpoint(): Promise<void> {
    if (this.#options.sync || this.#archive === undefined) return;
    this.#unsyncedBytes = 0;
    const synced = await this.#syncArchive();
    if (synced.length > 0) await this.#writer.markSynced(synced);
    this.#data.ledger.checkpoint();
  }

  /**
   * Brings all segments to the device, and gives up to where those of this run are there now. Those of others belong to it: a
   * repetition refers to the bytes that another run has archived.
   */
  async #syncArchive(): Promise<SegmentEnd[]> {
    const { archive, ledger, disk } = this.#data;
    if (!this.#isChecked) return [];
    const unsynced = await ledger.unsyncedSegments();
    const own = unsynced.filter(({ run }) => run === this.#options.run);
    await syncSegments(archive, own, disk);
    for (const other of unsynced) {
      // Whether it is damaged is for its own run to find; nothing here refers to bytes that could not be read.
      if (other.run !== this.#options.run) await syncSegments(archive, [other], disk).catch(() => {});
    }
    return own;
  }

  /**
   * What a power cut took away is taken back, and what a crash left behind the committed ends is cut; this owner then writes to
   * segments of its own.
   */
  async #openArchive(): Promise<void> {
    const { archive, ledger, disk } = this.#data;
    if (!this.#options.sync) ledger.deferCheckpoints();
    const lost = await findLostTails(this.#data, this.#options.run);
    if (lost.length > 0) await this.#writer.takeBack(lost);
    await handleLostBytes(this.#data, this.#writer, this.#options.run, this.#options.refetchLost);
    await cutTails(archive, await ledger.segmentsOf(this.#options.run), disk);
    this.#isChecked = true;
    const allocateSegment = async () => {
      const segment = await this.#writer.addSegment();
      this.#ownSegments.add(segment);
      return segment;
    };
    this.#archive = await ArchiveWriter.open(archive, { allocateSegment, files: disk, ...this.#world });
  }

  /**
   * A commit may have been refused after its bytes were written, and when another process has completed the run there is no
   * next start to cut them. If this fails, the error that led here is the one to tell.
   */
  async #closeArchive(): Promise<void> {
    const { archive, ledger, disk } = this.#data;
    const writer = this.#archive;
    if (writer === undefined) return;
    this.#archive = undefined;
    await this.#bodies.close();
    await writer.close();
    const ends = (await ledger.segmentsOf(this.#options.run)).filter(({ segment }) => this.#ownSegments.has(segment));
    await cutTails(archive, ends, disk).catch(() => {});
  }
}

function unarchived(page: PreparedPage): PageResult {
  return { ...page, exchanges: [] };
}
