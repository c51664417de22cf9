// What can be done about the findings of a check. What no repair is for stays a finding.

import type { ExchangeId, RequestId } from '../../ledger/page-result.ts';
import type { RunId } from '../../ledger/run.ts';
import type { Finding } from '../verify/finding.ts';

/** A version of the file of a mirror's case. */
export interface DamagedCase {
  readonly token: string;
  /** Under `pdfs/`. */
  readonly file: string;
  readonly run: RunId | undefined;
}

/** What is to be done about findings: exchanges by run and request, and rows that follow from others. */
export class RepairPlan {
  readonly runs = new Map<RunId, Map<RequestId, Set<ExchangeId>>>();
  /** By source of a mirror: files of its cases. */
  readonly mirrors = new Map<string, DamagedCase[]>();
  /** Runs whose counts are wrong, and those of which rows may be lost. */
  readonly #wrong = new Set<RunId>();
  readonly #lacking = new Set<RunId>();
  /** Segments whose bytes may be there, and cannot be read now: what lies in them is not fetched again. */
  readonly #unreadable = new Set<number>();
  rebuildsIndexes = false;
  /** Findings that no repair here is for. */
  others = 0;

  /** `requestOf`: the request of an exchange, for findings that do not say. */
  async add(finding: Finding, requestOf: (exchange: ExchangeId) => Promise<RequestId | undefined>): Promise<void> {
    switch (finding.kind) {
      case 'segment_unreadable':
        this.#unreadable.add(finding.segment);
        this.others++;
        return;
      case 'body_reference_broken':
        if (this.#unreadable.size > 0) this.others++;
        else this.#addExchange(finding.run, finding.request, finding.exchange);
        return;
      case 'member_unreadable':
      case 'digest_mismatch':
      case 'record_not_what_row_says':
      case 'answer_replaced':
        if (this.#unreadable.has(finding.segment)) this.others++;
        else this.#addExchange(finding.run, finding.request, finding.exchange);
        return;
      case 'file_missing':
      case 'file_size':
      case 'file_damaged': {
        if (finding.exchange === undefined) return this.#addMirrorFile(finding);
        this.#addExchange(finding.run, await requestOf(finding.exchange), finding.exchange);
        return;
      }
      case 'count_wrong':
        // A count that is higher than what there is tells of rows that are lost: rebuilt, it would not.
        if (finding.isLess) this.#lacking.add(finding.run);
        else this.#wrong.add(finding.run);
        this.rebuildsIndexes = true;
        return;
      case 'ledger_damaged':
        this.rebuildsIndexes = true;
        return;
      case 'reference_broken':
        if (finding.table === 'bodies') this.rebuildsIndexes = true;
        else this.others++;
        return;
      case 'segment_missing':
      case 'segment_short':
      case 'segment_long':
        // Its exchanges are findings of their own; it ends with what is there when they are repaired.
        if (!this.runs.has(finding.run as RunId) && finding.run !== undefined) this.runs.set(finding.run, new Map());
        return;
      default:
        this.others++;
    }
  }

  /** Runs whose counts can be rebuilt from their rows without hiding a loss. */
  get counts(): ReadonlySet<RunId> {
    return new Set([...this.#wrong].filter((run) => !this.#lacking.has(run)));
  }

  /** How many are to be fetched. */
  get requests(): number {
    const cases = [...this.mirrors.values()].reduce((sum, { length }) => sum + length, 0);
    return [...this.runs.values()].reduce((sum, { size }) => sum + size, cases);
  }

  /** Of an index there is only the site's newest version. */
  #addMirrorFile({ path, of, run }: Extract<Finding, { readonly of: string }>): void {
    const [, file] = /^pdfs\/(.*)$/s.exec(path) ?? [];
    const [, source, token] = /^(\S+) (\S+)$/.exec(of) ?? [];
    if (file === undefined || source === undefined || token === undefined) {
      this.others++;
      return;
    }
    const cases = this.mirrors.get(source) ?? [];
    this.mirrors.set(source, cases);
    cases.push({ token, file, run });
  }

  #addExchange(run: RunId | undefined, request: RequestId | undefined, exchange: ExchangeId | undefined): void {
    if (run === undefined || request === undefined || exchange === undefined) {
      this.others++;
      return;
    }
    const requests = this.runs.get(run) ?? new Map<RequestId, Set<ExchangeId>>();
    this.runs.set(run, requests);
    requests.set(request, (requests.get(request) ?? new Set()).add(exchange));
  }
}
