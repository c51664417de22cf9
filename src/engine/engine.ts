// Works off one run: takes requests lane by lane, gets their answers, runs their steps, hands the results to the committer.
// Memory holds a window of the queue and what is in flight; everything else is in the ledger. Stopping finishes what is on
// the wire, hands back what is not, and commits.

import { HEARTBEAT_MS } from '../fetch/heartbeat.ts';
import type { Outcome } from '../fetch/outcome.ts';
import { Soon } from '../fetch/soon.ts';
import { storeUnsaved } from '../fetch/stored-memory.ts';
import type { ClaimedRequest, HostId } from '../ledger/page-result.ts';
import type { CommitResult, UnsavedMemory } from '../ledger/run-writer.ts';
import type { Clock, Instant } from '../platform/clock.ts';
import { crashPoint } from '../platform/crash-point.ts';
import type { AnswerSource } from './answer-source.ts';
import { Committer } from './committer.ts';
import { finishPage } from './finish-page.ts';
import { Lane } from './lane.ts';
import type { Prober } from './prober.ts';
import type { Progress } from './progress.ts';
import type { PreparedPage, Scribe } from './scribe.ts';
import type { Seeder } from './seeder.ts';
import { leftBehind } from './steps/left-behind.ts';
import { PageReader, type PageReaderOptions } from './steps/page-reader.ts';
import type { Reading, ReadingJob } from './steps/reading.ts';
import { sizeOf, type Unread } from './steps/unread.ts';

export interface EngineOptions {
  readonly scribe: Scribe;
  readonly source: AnswerSource;
  readonly seeder: Seeder;
  readonly prober: Prober;
  /** What is to be read of an answer, or what it came to without being read. */
  readonly plan: (request: ClaimedRequest, outcome: Outcome) => ReadingJob | Reading;
  readonly reading: Omit<PageReaderOptions, 'onFailed' | 'onLeft'>;
  readonly progress: Progress;
  readonly clock: Clock;
  /** Requests of one host in flight at once. */
  readonly concurrency: number;
  /** How many requests are made last, each alone. */
  readonly setAside: number;
  readonly onCommitted: () => void;
}

interface Answered {
  readonly lane: Lane;
  readonly request: ClaimedRequest;
  readonly outcome: Outcome;
}

export type EngineEnd = 'completed' | 'stopped';

/** Bodies that wait to be read, of all lanes together; above this a lane has one at a time. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** So many answers are read together, or as many as come within this time. */
const FULL_GROUP = 16;
const GROUP_MS = 4;

export class Engine {
  readonly #options: EngineOptions;
  readonly #committer: Committer;
  readonly #lanes = new Map<HostId, Lane>();
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  /** When each lane is next looked at for delayed requests. */
  readonly #wakes = new Map<HostId, Instant>();
  /** Requests taken from lanes whose pages are not yet handed to the committer. */
  #active = 0;
  /** Those among them that are answered and not planned yet: they hold their bodies. */
  readonly #answered: Answered[] = [];
  readonly #reader: PageReader;
  /** Answers that are being read, or wait for it. */
  readonly #unread = new Set<Unread>();
  #unreadBytes = 0;
  #pending = 0;
  #setAside: number;
  #readsSoon = false;
  #waitsForMore: NodeJS.Timeout | undefined;
  #pumpsSoon = false;
  /** What a step left behind, and failed later. */
  #left: string | undefined;
  readonly #end: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #idled: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#setAside = options.setAside;
    this.#reader = new PageReader({
      ...options.reading,
      onFailed: (error) => this.#fail(error),
      onLeft: (what) => {
        this.#left ??= what;
      },
    });
    this.#committer = new Committer({
      ...options,
      onCommitted: (pages, result) => this.#committed(pages, result),
      onFailed: (error) => this.#fail(error),
      unsaved: () => this.#unsaved(),
      moreToCome: () => this.#active > 0,
    });
  }

  /** Works until the queue is empty or `stop` is called. Rejects with what made going on impossible. */
  async run(): Promise<EngineEnd> {
    const { progress, seeder, prober, source } = this.#options;
    for (const { hostId, host, counts } of progress.hosts()) {
      this.#pending += counts.pending;
      if (counts.pending > 0) this.#lane(hostId, host);
    }
    const heart = this.#beat();
    source.watch(new Soon(this.#options.clock, this.#stop.signal, () => this.#save()).ask);
    const feeding = [seeder, prober].map((feeder) =>
      feeder
        .run((result) => this.#queued(result), this.#stop.signal)
        .then(
          () => this.#pump(),
          (error) => this.#fail(error),
        ),
    );
    this.#pump();
    try {
      await this.#end.promise;
    } finally {
      this.#stop.abort(STOPPED);
      await Promise.all(feeding);
      await this.#idle();
      this.#abort.abort(STOPPED);
      await this.#reader.close();
      await this.#committer.drain();
      await heart;
    }
    // It changed nothing of what was read; but nobody would know.
    if (this.#left !== undefined) throw leftBehind(this.#left);
    return this.#pending === 0 && seeder.finished && prober.finished ? 'completed' : 'stopped';
  }

  /** Ends the run after what is on the wire; `now` does not wait for that either. */
  stop(how: 'gently' | 'now'): void {
    this.#stop.abort(STOPPED);
    if (how === 'now') this.#abandon();
    this.#end.resolve();
  }

  #fail(error: unknown): void {
    this.#end.reject(error);
    this.#stop.abort(STOPPED);
    this.#abandon();
  }

  /** What is on the wire or being read is waited for no longer: it stays claimed, and ending the run hands it back. */
  #abandon(): void {
    this.#abort.abort(STOPPED);
    this.#active -= this.#unread.size;
    this.#unread.clear();
    this.#settleIdle();
  }

  #pump(): void {
    if (this.#stop.signal.aborted) {
      this.#settleIdle();
      return;
    }
    for (const lane of this.#lanes.values()) {
      while (!this.#committer.isFull && (this.#unreadBytes < MOST_UNREAD_BYTES || lane.unread === 0)) {
        const request = lane.take();
        if (request === undefined) break;
        this.#active++;
        this.#work(lane, request);
      }
      const count = lane.ask();
      if (count > 0) this.#committer.want(lane.id, count);
    }
    const isDone = this.#pending === this.#setAside && this.#active === 0 && this.#committer.isEmpty;
    if (!isDone || !this.#allAskedFor()) return;
    if (this.#setAside === 0) this.#end.resolve();
    else void this.#workAlone();
  }

  /** Makes one of the requests that were set aside, when there is nothing else to do. */
  async #workAlone(): Promise<void> {
    this.#setAside--;
    this.#active++;
    try {
      const request = await this.#options.scribe.takeSetAside();
      const lane = request && this.#lanes.get(request.hostId);
      if (request !== undefined && lane !== undefined && !this.#stop.signal.aborted) {
        lane.begin();
        await this.#work(lane, request);
        return;
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#active--;
    this.#pump();
  }

  /** Whether nothing more enters the queue by itself. */
  #allAskedFor(): boolean {
    return this.#options.seeder.finished && this.#options.prober.finished;
  }

  async #work(lane: Lane, request: ClaimedRequest): Promise<void> {
    try {
      const outcome = await this.#answer(lane, request);
      crashPoint('after-fetch');
      lane.answered();
      this.#answered.push({ lane, request, outcome });
    } catch (error) {
      this.#active--;
      // What was not answered because we are stopping stays claimed; ending the run hands it back.
      if (error !== STOPPED) this.#fail(error);
    }
    this.#pump();
    this.#readSoon();
  }

  async #answer(lane: Lane, request: ClaimedRequest): Promise<Outcome> {
    try {
      // Lanes are by host: who is sent on to one that is closed shall not keep others of its own from their turn.
      const patience = { stop: this.#stop.signal, abort: this.#abort.signal, elsewhere: 'return' } as const;
      return await this.#options.source.answer(request, patience);
    } finally {
      lane.finished();
    }
  }

  /**
   * Pages are read together: a watch over the author's code costs as much for one as for many. So others are waited for a
   * moment, unless none is on the wire. Then not at once, but when the requests that take the place of the answered ones are
   * on their way: undici sends on a connection that was used before only after the next turn of the event loop, so that a
   * page that is read right away would hold them up.
   */
  #readSoon(): void {
    if (this.#readsSoon) return;
    const onWire = this.#active - this.#answered.length - this.#unread.size;
    if (this.#answered.length < FULL_GROUP && onWire > 0) {
      this.#waitsForMore ??= setTimeout(() => this.#readAnswered(), GROUP_MS);
      return;
    }
    this.#readsSoon = true;
    setImmediate(() => setImmediate(() => this.#readAnswered()));
  }

  #readAnswered(): void {
    this.#readsSoon = false;
    clearTimeout(this.#waitsForMore);
    this.#waitsForMore = undefined;
    const { scribe, plan } = this.#options;
    const answered = this.#answered.splice(0);
    const unread: Unread[] = [];
    let unplanned = answered.length;
    try {
      for (const { lane, request, outcome } of answered) {
        const exchanges = scribe.encode(outcome.exchanges);
        const finish = (reading: Reading) => {
          lane.read();
          this.#committer.submit({ ...finishPage(request, reading), exchanges });
        };
        const planned = plan(request, outcome);
        unplanned--;
        if ('kind' in planned) unread.push(this.#toRead(planned, lane, request, finish));
        else {
          this.#active--;
          finish(planned);
        }
      }
      this.#reader.read(unread);
    } catch (error) {
      this.#active -= unplanned;
      this.#fail(error);
    }
    this.#pumpSoon();
  }

  #toRead(job: ReadingJob, lane: Lane, request: ClaimedRequest, finish: (reading: Reading) => void): Unread {
    const bytes = sizeOf(job);
    const unread: Unread = {
      job,
      host: lane.host,
      suspect: request.isSuspect,
      done: (reading) => {
        this.#unreadBytes -= bytes;
        // Abandoned meanwhile.
        if (!this.#unread.delete(unread)) return;
        this.#active--;
        finish(reading);
        this.#pumpSoon();
      },
    };
    this.#unread.add(unread);
    this.#unreadBytes += bytes;
    return unread;
  }

  /** After this turn: pages are read many at a time. */
  #pumpSoon(): void {
    if (this.#pumpsSoon) return;
    this.#pumpsSoon = true;
    queueMicrotask(() => {
      this.#pumpsSoon = false;
      this.#pump();
      if (this.#active === 0) this.#committer.hurry();
    });
  }

  #committed(pages: readonly PreparedPage[], result: CommitResult): void {
    this.#options.progress.committed(pages);
    const byHost = Map.groupBy(result.claimed, (request) => request.hostId);
    // Only lanes that this commit has answered: others may have asked while it was under way.
    for (const id of result.served) this.#lanes.get(id)?.receive(byHost.get(id) ?? []);
    this.#fed(result);
    for (const { request, settlement } of pages) {
      if (settlement.kind === 'settled') this.#pending--;
      else if ('dueAt' in settlement) this.#wakeAt(request.hostId, settlement.dueAt);
      else this.#lanes.get(request.hostId)?.feed();
    }
    for (const [id, due] of result.nextDue) this.#wakeAt(id, due);
    this.#options.onCommitted();
    this.#pump();
  }

  /** After a seeder or prober has added to the queue. */
  #queued(result: CommitResult): void {
    this.#fed(result);
    this.#pump();
  }

  #fed(result: CommitResult): void {
    this.#options.prober.settled(result.probes);
    this.#options.progress.queued(result.queued);
    for (const [id, { host, count }] of result.queued) {
      this.#pending += count;
      const lane = this.#lane(id, host);
      if (!result.served.has(id)) lane.feed();
    }
  }

  #lane(id: HostId, host: string): Lane {
    const known = this.#lanes.get(id);
    if (known !== undefined) return known;
    const lane = new Lane(id, host, this.#options.concurrency);
    this.#lanes.set(id, lane);
    return lane;
  }

  /** Looks at a lane again when its next delayed request is due. */
  async #wakeAt(id: HostId, due: Instant): Promise<void> {
    if ((this.#wakes.get(id) ?? Infinity) <= due) return;
    this.#wakes.set(id, due);
    try {
      await this.#options.clock.sleep(due - this.#options.clock.now(), this.#stop.signal);
    } catch {
      return; // Stopping: the next start will look.
    }
    if (this.#wakes.get(id) === due) this.#wakes.delete(id);
    this.#lanes.get(id)?.feed();
    this.#pump();
  }

  async #beat(): Promise<void> {
    const { clock, scribe } = this.#options;
    try {
      for (;;) {
        await clock.sleep(HEARTBEAT_MS, this.#stop.signal);
        await scribe.heartbeat(this.#unsaved());
      }
    } catch (error) {
      if (error !== STOPPED) this.#fail(error);
    }
  }

  /** What is learnt while no page is committed shall not be lost with the process: that a host asked for time, above all. */
  async #save(): Promise<void> {
    try {
      // Otherwise it is saved with the pages.
      if (this.#committer.isEmpty) await this.#options.scribe.heartbeat(this.#unsaved());
    } catch (error) {
      this.#fail(error);
    }
  }

  #unsaved(): UnsavedMemory | undefined {
    const unsaved = this.#options.source.takeUnsaved();
    return unsaved && storeUnsaved(unsaved);
  }

  /** Resolves when nothing is in flight any more. */
  #idle(): Promise<void> {
    this.#settleIdle();
    return this.#idled.promise;
  }

  #settleIdle(): void {
    if (this.#active === 0) this.#idled.resolve();
  }
}

const STOPPED = new Error('The run is being stopped.');
