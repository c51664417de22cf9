// Ids of a walk with `onDuplicate: 'inherit'`: they stand for a request that a link or another id has asked for. Their
// verdict is what their own speculator says of the page; if that is "not there", the page is not read, as it would not have
// been had the number come first.

import type { CountChanges } from './count-table.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { PageResult, RequestId } from './page-result.ts';
import type { Judgement, ProbeVerdict, SettledProbe, StoredWalk, WalkId } from './probe.ts';
import type { RequestFate } from './request-table.ts';
import type { RunId } from './run.ts';
import type { Verdict } from './verdict.ts';

export class InheritedVerdicts {
  readonly #run: RunId;
  readonly #tables: LedgerTables;
  readonly #speculators = new Map<WalkId, string>();
  /** Speculators whose ids inherit. */
  readonly #inheriting = new Set<string>();

  constructor(run: RunId, tables: LedgerTables) {
    this.#run = run;
    this.#tables = tables;
    for (const { id, speculator, onDuplicate } of tables.walks.of(run)) {
      this.#speculators.set(id, speculator);
      if (onDuplicate === 'inherit') this.#inheriting.add(speculator);
    }
  }

  /** False when the run has no walks at all: then there is nothing to look for. */
  get isWalking(): boolean {
    return this.#speculators.size > 0;
  }

  /** The result of a page, as it is when an id that waits for it says that there is nothing. */
  overrule(result: PageResult): PageResult {
    const { request, settlement, judged } = result;
    if (judged === undefined || settlement.kind !== 'settled' || request.spec.probe !== undefined) return result;
    const waiting = this.#tables.walks.waitingFor(request.id).flatMap(({ walk }) => {
      return judged.get(this.#speculators.get(walk) ?? '') ?? [];
    });
    const [first] = waiting;
    if (first === undefined || first.verdict === 'hit') return result;
    if (waiting.some(({ verdict }) => verdict === 'hit')) return result;
    const { verdict, reason } = first;
    return { ...result, settlement: { ...settlement, verdict, reason }, records: [], children: [], events: [] };
  }

  /** Writes what speculators say of a page that was just settled, and the verdicts of the ids that wait for it. */
  settle({ request, settlement, probe, judged }: PageResult): SettledProbe[] {
    if (!this.isWalking || settlement.kind !== 'settled') return [];
    const inherited = inheritedFrom(settlement.verdict);
    if (judged === undefined) return this.#tables.walks.settle(request.id, probe ?? inherited);
    for (const [speculator, judgement] of judged) {
      if (judgement.verdict !== inherited) this.#tables.judgements.add(request.id, speculator, judgement);
    }
    return this.#tables.walks.waitingFor(request.id).map(({ walk, id }) => {
      const speculator = this.#speculators.get(walk) ?? '';
      const own = request.spec.probe?.walk === walk && request.spec.probe.id === id;
      const verdict = (own ? probe : judged.get(speculator)?.verdict) ?? inherited;
      this.#tables.walks.settleOne(walk, id, verdict);
      return { walk, id, verdict };
    });
  }

  /** What is known at once of an id whose request the run has already; undefined: whatever becomes of that request. */
  ask({ onDuplicate, speculator }: StoredWalk, fate: RequestFate, changes: CountChanges): ProbeVerdict | undefined {
    if (onDuplicate === 'miss') return 'duplicate';
    if (fate.verdict === undefined) return undefined;
    const judgement = this.#tables.judgements.find(fate.id, speculator);
    // What the first probe said, in runs that were begun before judgements were kept.
    if (judgement === undefined) return this.#tables.walks.verdictOf(fate.id) ?? inheritedFrom(fate.verdict);
    this.#overruleSettled(fate.id, fate.verdict, judgement, changes);
    return judgement.verdict;
  }

  /** Takes back what was read of a page that a link led to, unless an id has said that it is real. */
  #overruleSettled(request: RequestId, before: Verdict, judgement: Judgement, changes: CountChanges): void {
    const { requests, records, walks, judgements } = this.#tables;
    const isRead = before === 'done' || before === 'failed';
    if (!isRead || walks.verdictOf(request) !== undefined) return;
    const { verdict, reason } = judgement;
    if (verdict === 'hit') return;
    // Others that may ask for it later go by what it was.
    const others = { verdict: before === 'done' ? 'hit' : 'failed', reason: undefined } as const;
    for (const name of this.#inheriting) judgements.add(request, name, others);
    const host = requests.overrule(this.#run, request, verdict, reason);
    const removed = records.removeOf(request);
    changes.add(host, before, -1);
    changes.add(host, verdict, 1);
    changes.add(host, 'record', -removed.total);
    changes.add(host, 'invalid', -removed.invalid);
  }
}

/** What a request's verdict says about an id that stands for it. */
function inheritedFrom(verdict: Verdict): ProbeVerdict {
  return verdict === 'done' ? 'hit' : verdict;
}
