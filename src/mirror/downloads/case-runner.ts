// Works off the cases of a run. Addresses are asked for one after the other, files fetched beside each other; a case that
// may be tried again waits until all others had their turn. What ends a run early leaves the rest as it was planned.

import type { Patience } from '../../fetch/patience.ts';
import type { CaseId, StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';
import type { MirrorRunWriter } from '../../ledger/mirror/mirror-run-writer.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import { CaseDownloadState } from '../case-download-state.ts';
import { decideRetry } from '../decide-retry.ts';
import { DownloadError } from '../download-error.ts';
import type { FailureCode } from '../error-codes.ts';
import type { Emit } from '../events/event-sink.ts';
import type { ScraperLog } from '../events/scraper-log.ts';
import type { SettledCase } from '../scrape-progress.ts';
import type { JudicialClient } from '../sources/source.ts';
import type { CaseFiles, ObtainedFile } from './case-files.ts';
import { DownloadExecutor } from './download-executor.ts';

export interface CaseRunnerParts {
  readonly run: MirrorRunWriter;
  readonly log: ScraperLog;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Pick<JudicialClient, 'fetchSignedBoxUrl'>;
  readonly files: CaseFiles;
  /** A file that is in its place already and may be taken over. */
  readonly findAdoptable: (wanted: StoredCase) => Promise<VerifiedFile | undefined>;
  /** Throws `disk_full`. */
  readonly requireRoom: () => Promise<void>;
  /** Gives back what was kept aside for telling that the disk is full. */
  readonly releaseRoom: () => Promise<void>;
  readonly perDownloadDelayMs: number;
  /** Attempts per case. */
  readonly maxRetries: number;
  readonly maxParallel: number;
  readonly maxPending: number;
  readonly retryAfterSweepMs: number;
  readonly patience: Patience;
  readonly onSettled: (settled: SettledCase) => void;
}

export type RunEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'aborted' | 'failed'; readonly reason: string; readonly isStopped: boolean };

interface Job {
  readonly case: StoredCase;
  readonly notBefore: number;
  /** Whether the file server refused an address of it before. */
  readonly refusedBefore: boolean;
  /** How often it failed for each reason. */
  readonly failures: ReadonlyMap<FailureCode, number>;
}

/** After so many cases in a row that failed on the page itself, the page is what is wrong. */
const MOST_STRUCTURE_FAILURES = 3;
const JITTER = 0.2;

export class CaseRunner {
  readonly #parts: CaseRunnerParts;
  readonly #executor: DownloadExecutor;
  readonly #over = new AbortController();
  readonly #patience: Patience;
  readonly #inHand = new Set<CaseId>();
  #again: Job[] = [];
  #end: RunEnd | undefined;
  #fault: { readonly error: unknown } | undefined;
  #structureFailures = 0;
  /** Whether a case was not taken up, or handed back. */
  #isCut = false;

  constructor(parts: CaseRunnerParts) {
    this.#parts = parts;
    const { patience, maxParallel, maxPending } = parts;
    this.#patience = { stop: AbortSignal.any([patience.stop, this.#over.signal]), abort: patience.abort };
    const onOverflow = (pending: number) => {
      const fields = { phase: 'download_executor', kind: 'queue_overflow', pending, max_pending: maxPending };
      parts.emit({ label: 'STATE', fields }).catch((error: unknown) => this.#fail(error));
    };
    this.#executor = new DownloadExecutor({ maxParallel, maxPending, onOverflow });
  }

  /** Rejects with what is nobody's doing but ours: a ledger that cannot be written, a run that was taken over. */
  async run(cases: readonly StoredCase[]): Promise<RunEnd> {
    let jobs: readonly Job[] = cases.map((wanted) => ({
      case: wanted,
      notBefore: 0,
      refusedBefore: false,
      failures: new Map(),
    }));
    for (let sweep = 0; jobs.length > 0 && !this.#isOver; sweep++) {
      this.#again = [];
      if (sweep > 0) await this.#wait(this.#parts.retryAfterSweepMs);
      await this.#sweep(jobs);
      await this.#executor.idle();
      jobs = this.#again;
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    const { peakInFlight, maxParallel, overflows } = this.#executor.telemetry;
    const fields = {
      phase: 'download_executor',
      kind: 'summary',
      peak_in_flight: peakInFlight,
      max_parallel: maxParallel,
      overflows,
    };
    await this.#parts.emit({ label: 'STATE', fields });
    // A run that was told to stop when it had done everything is complete.
    return this.#end ?? (this.#isCut || jobs.length > 0 ? STOPPED : { status: 'completed' });
  }

  get #isOver(): boolean {
    return this.#fault !== undefined || this.#patience.stop.aborted || this.#patience.abort.aborted;
  }

  async #sweep(jobs: readonly Job[]): Promise<void> {
    const { clock, random, perDownloadDelayMs } = this.#parts;
    for (const [index, job] of jobs.entries()) {
      const jitter = 1 + JITTER * (2 * random.next() - 1);
      const delayMs = index === 0 ? 0 : perDownloadDelayMs * jitter;
      await this.#wait(Math.max(delayMs, job.notBefore - clock.now()));
      if (this.#isOver) {
        this.#isCut = true;
        return;
      }
      await this.#begin(job).catch((error: unknown) => this.#fail(error));
    }
  }

  /** Up to the address; what follows is the executor's. */
  async #begin(job: Job): Promise<void> {
    const { case: wanted } = job;
    const { run, log, clock, client, findAdoptable, requireRoom } = this.#parts;
    if (this.#inHand.has(wanted.id)) return this.#decide(wanted, 'skip', 'in_run_dup');
    this.#inHand.add(wanted.id);
    const state = await CaseDownloadState.of(run, log, wanted);
    try {
      await requireRoom();
      const there = await findAdoptable(wanted);
      if (!(await state.start())) return this.#letGo(job);
      if (there !== undefined) {
        await this.#decide(wanted, 'adopt', 'exists_ok');
        return await this.#downloaded(job, state, { ...there, isUnchanged: false }, undefined);
      }
      const url = await client.fetchSignedBoxUrl(wanted, this.#patience);
      this.#structureFailures = 0;
      const issuedAt = clock.now();
      await this.#executor.submit(() =>
        this.#fetchFile(job, state, url, issuedAt).catch((error: unknown) => this.#fail(error)),
      );
    } catch (error) {
      await this.#failed(job, state, error, undefined);
    }
  }

  async #fetchFile(job: Job, state: CaseDownloadState, url: string, issuedAt: number): Promise<void> {
    const { files } = this.#parts;
    const { refusedBefore } = job;
    const patience = this.#patience;
    try {
      patience.stop.throwIfAborted();
      const file = await files.obtain(job.case, { url, issuedAt, refusedBefore, patience });
      await this.#downloaded(job, state, file, url);
    } catch (error) {
      await this.#failed(job, state, error, url);
    }
  }

  async #downloaded(job: Job, state: CaseDownloadState, file: ObtainedFile, url: string | undefined): Promise<void> {
    const { isUnchanged, ...verified } = file;
    if (isUnchanged) await this.#decide(job.case, 'keep', 'unchanged');
    await state.markDownloaded(verified, url);
    this.#letGo(job);
    const bytes = url === undefined || isUnchanged ? 0 : file.sizeBytes;
    this.#parts.onSettled({ kind: 'downloaded', bytes });
  }

  async #failed(job: Job, state: CaseDownloadState, thrown: unknown, url: string | undefined): Promise<void> {
    this.#letGo(job);
    const { patience } = this.#parts;
    const isStop = this.#patience.stop.aborted && thrown === this.#patience.stop.reason;
    if (isStop || (patience.abort.aborted && thrown === patience.abort.reason)) {
      this.#isCut = true;
      await state.handBack();
      return;
    }
    const error = downloadError(thrown);
    if (error === undefined) throw thrown;
    if (error.code === 'disk_full') await this.#parts.releaseRoom();
    await state.markFailed(error.code, error.message, url);
    const retry = await this.#retry(job, state, error);
    if (!retry) this.#parts.onSettled({ kind: 'failed', code: error.code });
    this.#endFor(error);
  }

  async #retry(job: Job, { attemptCount }: CaseDownloadState, error: DownloadError): Promise<boolean> {
    const { emit, clock, maxRetries } = this.#parts;
    const { code, httpStatus } = error;
    const failedSo = (job.failures.get(code) ?? 0) + 1;
    const decision = decideRetry(code, httpStatus, attemptCount, maxRetries, failedSo);
    const waitMs = Math.max(decision.backoffMs, error.retryAfterMs ?? 0);
    const fields = {
      phase: 'retry_decision',
      token_norm: job.case.actionTokenNorm,
      error_code: code,
      http_status: httpStatus,
      attempt: attemptCount,
      kind: decision.kind,
      retry: decision.retry,
    };
    await emit({
      label: 'STATE',
      caseId: job.case.id,
      fields: { ...fields, ...(decision.retry && { wait_ms: waitMs }) },
    });
    if (!decision.retry) await this.#decide(job.case, 'skip_retry', code);
    else {
      const refusedBefore = job.refusedBefore || code === 'signed_url_expired';
      const failures = new Map(job.failures).set(code, failedSo);
      this.#again.push({ case: job.case, notBefore: clock.now() + waitMs, refusedBefore, failures });
    }
    return decision.retry;
  }

  /** Some failures are not the case's: the others would fail as well. */
  #endFor({ code, message }: DownloadError): void {
    if (code === 'disk_full') this.#stop('aborted', `The disk is full: ${message}.`);
    if (code === 'browser_launch_failed') this.#stop('failed', `The client cannot be used: ${message}.`);
    this.#structureFailures = code === 'site_structure_changed' ? this.#structureFailures + 1 : 0;
    if (this.#structureFailures >= MOST_STRUCTURE_FAILURES) this.#stop('failed', `The site has changed: ${message}.`);
  }

  #stop(status: 'aborted' | 'failed', reason: string): void {
    this.#end ??= { status, reason, isStopped: false };
    this.#over.abort(new Error(reason));
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#over.abort(new Error(messageOf(error)));
  }

  #letGo({ case: { id } }: Job): void {
    this.#inHand.delete(id);
  }

  #decide(wanted: StoredCase, decision: 'skip' | 'adopt' | 'keep' | 'skip_retry', reason: string): Promise<void> {
    const fields = { decision, reason, token_norm: wanted.actionTokenNorm };
    return this.#parts.emit({ label: 'DECISION', caseId: wanted.id, fields });
  }

  /** Ends early when the run does. */
  async #wait(ms: number): Promise<void> {
    if (ms > 0) await this.#parts.clock.sleep(ms, this.#patience.stop).catch(() => {});
  }
}

const STOPPED: RunEnd = { status: 'aborted', reason: 'It was stopped.', isStopped: true };

/** What a case failed with; undefined when it is the run's trouble. */
function downloadError(thrown: unknown): DownloadError | undefined {
  if (thrown instanceof DownloadError) return thrown;
  if (!(thrown instanceof CurlewError))
    return new DownloadError('internal_error', messageOf(thrown), { cause: thrown });
  return thrown.code === ErrorCode.diskFull
    ? new DownloadError('disk_full', thrown.message, { cause: thrown })
    : undefined;
}
