// Runs as the API shows them, whatever their kind.

import type { Ledger } from '../../ledger/ledger.ts';
import type { OwnedRun, OwnerReport, ReportedRun, RunCounts } from '../../ledger/reports/run-report.ts';
import { NO_COUNTS, type VerdictCounts } from '../../ledger/verdict.ts';
import type { AnswerOf } from '../contract/routes.ts';
import type { RunRow, RunState } from '../contract/runs.ts';
import { cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';
import type { RunRates } from './run-rates.ts';

type Downloads = NonNullable<RunRow['downloads']>;
type Owner = AnswerOf<'run'>['run']['owner'];

export class RunRows {
  readonly #ledger: Ledger;
  readonly #rates: RunRates;
  /** Downloads of mirror runs that have ended, which change no more. */
  readonly #ended = new Map<string, Downloads>();

  constructor(ledger: Ledger, rates: RunRates) {
    this.#ledger = ledger;
    this.#rates = rates;
  }

  async row(read: ReportedRun): Promise<RunRow> {
    return this.rowOf(await this.#ledger.reports.withOwner(read));
  }

  async rowOf(owned: OwnedRun): Promise<RunRow> {
    const { run } = owned;
    const state = stateOf(owned);
    const downloads = run.kind === 'mirror' ? await this.#downloadsOf(run) : null;
    const counts = await this.#ledger.reports.countsOf(run.id);
    return {
      id: run.id,
      kind: run.kind,
      name: run.name,
      state,
      health: run.health ?? null,
      ...toldCounts(counts, downloads),
      otherProblems: await this.#otherProblemsOf(run),
      downloads,
      perSecond: state === 'running' ? (this.#rates.perSecond(run.id) ?? null) : null,
      timeLeft: state === 'running' ? this.#rates.timeLeft(run.id) : null,
      startedAt: iso(run.startedAt),
      endedAt: iso(run.endedAt),
      activeMs: run.activeMs,
      trigger: run.trigger,
      mode: run.kind === 'mirror' ? run.mode : null,
      replayOf: run.replayOf ?? null,
      error: cleanText(run.error),
    };
  }

  rows(runs: readonly ReportedRun[]): Promise<RunRow[]> {
    return Promise.all(runs.map((run) => this.row(run)));
  }

  /** As they are listed on the page of the run. */
  async #otherProblemsOf({ id, kind }: ReportedRun): Promise<number> {
    const { mirror, sites } = this.#ledger;
    if (kind === 'site') return sites.countMissing(id);
    if (kind !== 'mirror') return 0;
    const unreadable = await mirror.unreadableIndexOf(id);
    return ((await mirror.staleIndexOf(id)) === undefined ? 0 : 1) + (unreadable?.unreadableRows?.count ?? 0);
  }

  async #downloadsOf({ id, endedAt }: ReportedRun): Promise<Downloads> {
    const key = `${id} ${endedAt}`;
    const known = this.#ended.get(key);
    if (known !== undefined) return known;
    const { byStatus } = await this.#ledger.mirror.countDownloads(id);
    const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
    const downloads = { total, ...byStatus };
    if (endedAt !== undefined) this.#ended.set(key, downloads);
    return downloads;
  }
}

/** A run whose process is gone is not running, whatever the ledger was told last. */
function stateOf({ run: { status }, owner }: OwnedRun): RunState {
  if (status !== 'running' || owner.state === 'alive') return status;
  return owner.state === 'none' ? 'not_started' : 'killed';
}

/** A run in which nothing was begun yet is in nobody's hands for a moment. */
export function describeOwner({ run: { status }, owner }: OwnedRun): Owner {
  const { state, holder, heartbeatAt } = owner;
  return {
    state,
    text: ownerText(status === 'running', owner),
    pid: holder?.pid ?? null,
    machine: holder?.machine ?? null,
    heartbeatAt: iso(heartbeatAt),
  };
}

/** Who works on it, in words. */
export function ownerText(isOn: boolean, { state, holder }: OwnerReport): string {
  switch (state) {
    case 'alive':
      return `process ${holder?.pid} on ${holder?.machine} works on it`;
    case 'gone':
      return 'killed: its process is gone';
    case 'silent':
      return `lost: its process on ${holder?.machine} has not been heard of`;
    case 'none':
      return isOn ? 'not started: nobody has worked on it yet' : 'nobody works on it';
  }
}

function toldCounts(
  { requests, records, invalid }: RunCounts,
  downloads: Downloads | null,
): { counts: VerdictCounts; records: number; invalid: number } {
  if (downloads === null) return { counts: requests, records, invalid };
  const { downloaded: done, failed, skipped, pending, in_progress } = downloads;
  return { counts: { ...NO_COUNTS, done, failed, skipped, pending: pending + in_progress }, records: done, invalid: 0 };
}
