// From an answer to what is written down of it: the verdict, and what the step found.

import { hash } from 'node:crypto';
import type { FetchedBody, FetchedExchange, Outcome, OutcomeWithoutPage } from '../fetch/outcome.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import type { ClaimedRequest, NewEvent, PageResult, Settlement } from '../ledger/page-result.ts';
import type { Judgement, ProbeVerdict } from '../ledger/probe.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { PageSource } from '../scraper/page/origin.ts';
import { Page } from '../scraper/page/page.ts';
import { SavedFile } from '../scraper/page/saved-file.ts';
import { isHit, judgePage, NOT_REAL, recordMiss } from './judge-probe.ts';
import type { PageEvent } from './run-events.ts';
import { type Gathered, NOTHING, runStep } from './run-step.ts';
import { settle } from './settle.ts';
import { stepFailure, withLongStacks } from './step-failure.ts';

/** A page worked to its end, but for its exchanges. */
export type FinishedPage = Omit<PageResult, 'exchanges'>;

export interface FinishOptions {
  readonly definition: ScraperDefinition;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether an attempt that failed may be followed by another. */
  readonly retries: boolean;
  /** Speculators whose ids inherit from whoever asked for their page first. */
  readonly inheriting: readonly string[];
}

export function finishPage(request: ClaimedRequest, outcome: Outcome, options: FinishOptions): FinishedPage {
  const { settlement, gathered, events, probe, judged } =
    outcome.kind === 'ok' ? readAnswer(request, outcome.response, options) : passOver(request, outcome, options);
  return { request, settlement, ...gathered, events, probe, judged };
}

type TypedEvent = NewEvent & { readonly kind: PageEvent };

interface Read {
  readonly settlement: Settlement;
  readonly gathered: Gathered;
  readonly events: readonly TypedEvent[];
  /** What the answer says about an id, when the request was a probe and has settled. */
  readonly probe: ProbeVerdict | undefined;
  readonly judged?: ReadonlyMap<string, Judgement> | undefined;
}

/** Runs the step. If it throws, the page is failed with that reason and has yielded nothing. */
function readAnswer(request: ClaimedRequest, response: FetchedExchange, options: FinishOptions): Read {
  const { definition, inheriting } = options;
  const { status } = response;
  const { step, depth, context, probe } = request.spec;
  const identity = Buffer.from(request.identity).toString('hex');
  let reached: ProbeVerdict | undefined = probe === undefined ? undefined : 'failed';
  let judged: Read['judged'];
  try {
    const input = inputOf(request, response);
    if (inheriting.length > 0) judged = judgePage(definition, inheriting, input);
    if (probe !== undefined && input instanceof Page && !isHit(definition, probe, input)) {
      const reason = NOT_REAL;
      const miss = { partition: probe.partition, kind: 'ok', status, reason, page: input } as const;
      const settlement = { kind: 'settled', verdict: 'absent', status, reason } as const;
      return { settlement, gathered: recordMiss(definition, probe, miss), events: [], probe: 'absent', judged };
    }
    if (probe !== undefined) reached = 'hit';
    const gathered =
      step === undefined
        ? NOTHING
        : withLongStacks(() => runStep(definition, { step, base: response.url, depth, identity }, input, context));
    return {
      settlement: { kind: 'settled', verdict: 'done', status, reason: undefined },
      gathered,
      events: [],
      probe: reached,
      judged,
    };
  } catch (error) {
    const name = probe !== undefined && reached !== 'hit' ? probe.speculator : step;
    return { ...stepFailed(definition, name, status, error), probe: reached, judged };
  }
}

/** The author's code threw: the page is failed with that reason, and nothing of it is kept but the error. */
function stepFailed(
  definition: ScraperDefinition,
  name: string | undefined,
  status: number | undefined,
  error: unknown,
): Omit<Read, 'probe' | 'judged'> {
  const { reason, ...failure } = stepFailure(definition.name, name ?? '', error);
  const data = { step: name ?? '', ...failure };
  return {
    settlement: { kind: 'settled', verdict: 'failed', status, reason },
    gathered: NOTHING,
    events: [{ kind: 'step_failed', data }],
  };
}

function inputOf(request: ClaimedRequest, response: FetchedExchange): Page | SavedFile {
  const { url, status, responseHeaders: headers, body } = response;
  const common = { url, requestUrl: request.spec.url, status, headers };
  if (body.kind === 'file') return new SavedFile({ ...common, path: body.path, size: body.size, sha256: body.sha256 });
  return new Page(new FetchedSource(request, response, body));
}

/** A class, and no literal with a getter in it: V8 makes a shape of its own for each of those, and keeps it. */
class FetchedSource implements PageSource {
  readonly url: string;
  readonly requestUrl: string;
  readonly status: number;
  readonly headers: FetchedExchange['responseHeaders'];
  readonly body: Uint8Array;
  readonly #encoded: Uint8Array;

  constructor(request: ClaimedRequest, response: FetchedExchange, body: Extract<FetchedBody, { kind: 'memory' }>) {
    this.url = response.url;
    this.requestUrl = request.spec.url;
    this.status = response.status;
    this.headers = response.responseHeaders;
    this.body = body.decoded;
    this.#encoded = body.encoded;
  }

  /** Only errors name it, so it is not hashed for every page. */
  get archivedAs(): string {
    return `sha256:${hash('sha256', this.#encoded)}`;
  }
}

/** An answer without a page: only its meaning is written down. */
function passOver(request: ClaimedRequest, outcome: OutcomeWithoutPage, options: FinishOptions): Read {
  const attempts = request.attempts + 1;
  const retry = options.retries ? decideRetry(attempts, options.random) : GIVE_UP;
  const settlement = settle(outcome, retry, attempts, options.clock.now());
  const events = eventsOf(outcome, settlement);
  const { probe } = request.spec;
  if (probe === undefined || settlement.kind !== 'settled') {
    return { settlement, gathered: NOTHING, events, probe: undefined };
  }
  const { verdict, status, reason = '' } = settlement;
  if (verdict === 'done') return { settlement, gathered: NOTHING, events, probe: 'hit' };
  const miss = { partition: probe.partition, kind: outcome.kind, status, reason, page: undefined };
  try {
    return { settlement, gathered: recordMiss(options.definition, probe, miss), events, probe: verdict };
  } catch (error) {
    return { ...stepFailed(options.definition, probe.speculator, status, error), probe: verdict };
  }
}

const GIVE_UP = { kind: 'give_up' } as const;

function eventsOf(outcome: OutcomeWithoutPage, settlement: Settlement): TypedEvent[] {
  switch (settlement.kind) {
    case 'returned':
    case 'parked':
      return [];
    case 'delayed':
      return [{ kind: 'retry', data: { reason: settlement.reason, due: settlement.dueAt } }];
    case 'settled':
      return settlement.verdict === 'absent' || settlement.verdict === 'done'
        ? []
        : [{ kind: settlement.verdict, data: { outcome: outcome.kind, reason: settlement.reason ?? '' } }];
  }
}
