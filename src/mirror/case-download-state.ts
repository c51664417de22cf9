// The state machine of one case in one run, and the only writer of `downloads.status`. A change that may not be is refused
// and told; `downloaded` is terminal. Each change and its event are one fact.

import type { StoredCase } from '../ledger/mirror/case-row.ts';
import type { DownloadChange, DownloadRow, VerifiedFile } from '../ledger/mirror/download-row.ts';
import type { DownloadStatus } from '../ledger/mirror/download-status.ts';
import type { Transition } from '../ledger/mirror/download-table.ts';
import type { MirrorEvent } from '../ledger/mirror/mirror-event.ts';
import type { MirrorRunWriter } from '../ledger/mirror/mirror-run-writer.ts';
import type { FailureCode, SkipReason } from './error-codes.ts';
import type { ScraperLog } from './events/scraper-log.ts';
import { withoutSignature } from './signed-url.ts';

export class CaseDownloadState {
  readonly #run: MirrorRunWriter;
  readonly #log: ScraperLog;
  readonly #case: StoredCase;
  #row: DownloadRow;

  private constructor(run: MirrorRunWriter, log: ScraperLog, wanted: StoredCase, row: DownloadRow) {
    this.#run = run;
    this.#log = log;
    this.#case = wanted;
    this.#row = row;
  }

  /** The state of the case in the run; a case that the run did not know becomes pending. */
  static async of(run: MirrorRunWriter, log: ScraperLog, wanted: StoredCase): Promise<CaseDownloadState> {
    return new CaseDownloadState(run, log, wanted, await run.download(wanted.id));
  }

  get status(): DownloadStatus {
    return this.#row.status;
  }

  /** Attempts begun so far in this run. */
  get attemptCount(): number {
    return this.#row.attemptCount;
  }

  /** Another attempt begins. False, as of all these, when it may not. */
  start(boxUrl?: string): Promise<boolean> {
    return this.#change({ to: 'in_progress', boxUrl: kept(boxUrl) });
  }

  /** The file is verified and in its place. */
  markDownloaded(file: VerifiedFile, boxUrl?: string): Promise<boolean> {
    return this.#change({ to: 'downloaded', file, boxUrl: kept(boxUrl) });
  }

  markSkipped(reason: SkipReason, message: string | null = null): Promise<boolean> {
    return this.#change({ to: 'skipped', errorCode: reason, errorMessage: message });
  }

  markFailed(code: FailureCode, message: string | null, boxUrl?: string): Promise<boolean> {
    return this.#change({ to: 'failed', errorCode: code, errorMessage: message, boxUrl: kept(boxUrl) });
  }

  /** Back to pending: the run stops before the attempt ended. */
  handBack(): Promise<boolean> {
    return this.#change({ to: 'pending' });
  }

  async #change(change: DownloadChange): Promise<boolean> {
    const { transition, event } = await this.#run.changeDownload(this.#case.id, change, (done) =>
      describe(this.#case, change, done),
    );
    this.#row = transition.after;
    this.#log.write(event, this.#run.run);
    return transition.verdict === 'allowed';
  }
}

function describe(wanted: StoredCase, change: DownloadChange, { verdict, before, after }: Transition): MirrorEvent {
  const fields = {
    phase: 'download_state',
    token_norm: wanted.actionTokenNorm,
    from_status: before.status,
    to_status: change.to,
    attempt: after.attemptCount,
    error_code: 'errorCode' in change ? change.errorCode : undefined,
  };
  if (verdict !== 'allowed') {
    const error = verdict === 'after_download' ? 'invalid_transition_after_download' : 'invalid_transition';
    return { label: 'ERROR', caseId: wanted.id, fields: { error, ...fields } };
  }
  return {
    label: 'STATE',
    caseId: wanted.id,
    fields: {
      ...fields,
      box_url: 'boxUrl' in change ? change.boxUrl : undefined,
      error_message: 'errorMessage' in change ? (change.errorMessage ?? undefined) : undefined,
      ...(change.to === 'downloaded' && {
        file_path: change.file.filePath,
        file_size_bytes: change.file.sizeBytes,
        file_sha256: change.file.sha256,
        file_version: change.file.version,
      }),
    },
  };
}

function kept(boxUrl: string | undefined): string | undefined {
  return boxUrl === undefined ? undefined : withoutSignature(boxUrl);
}
