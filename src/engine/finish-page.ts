// From an answer to a page that can be committed: the verdict, what the step found, and the exchanges for the archive.

import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../fetch/outcome.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import type { ClaimedRequest, NewEvent, Settlement } from '../ledger/page-result.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import { SavedFile } from '../scraper/page/saved-file.ts';
import type { FinishedPage } from './committer.ts';
import { type FindBody, type PreparedExchange, prepareExchange } from './prepare-exchange.ts';
import { type Gathered, NOTHING, runStep } from './run-step.ts';
import { settle } from './settle.ts';

export interface FinishOptions {
  readonly definition: ScraperDefinition;
  readonly findBody: FindBody;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether an attempt that failed may be followed by another. */
  readonly retries: boolean;
}

/** A promise only when a large body has to be compressed. */
export function finishPage(
  request: ClaimedRequest,
  outcome: Outcome,
  options: FinishOptions,
): FinishedPage | Promise<FinishedPage> {
  const exchanges = outcome.exchanges.map((exchange) => prepareExchange(exchange, options.findBody, options.random));
  const found =
    outcome.kind === 'ok'
      ? readAnswer(request, outcome.response, options.definition, archivedAs(exchanges.at(-1)))
      : passOver(request, outcome, options);
  const page = { request, settlement: found.settlement, ...found.gathered, events: found.events };
  if (!exchanges.some((exchange) => exchange instanceof Promise)) {
    return { ...page, exchanges: exchanges as PreparedExchange[] };
  }
  return Promise.all(exchanges).then((ready) => ({ ...page, exchanges: ready }));
}

/** How a structure error names the archived body. A large one, still being compressed, is named by its URL alone. */
function archivedAs(exchange: PreparedExchange | Promise<PreparedExchange> | undefined): string | undefined {
  if (exchange === undefined || exchange instanceof Promise) return undefined;
  return `sha256:${Buffer.from(exchange.facts.bodySha256).toString('hex')}`;
}

interface Read {
  readonly settlement: Settlement;
  readonly gathered: Gathered;
  readonly events: readonly NewEvent[];
}

/** Runs the step. If it throws, the page is failed with that reason and has yielded nothing. */
function readAnswer(
  request: ClaimedRequest,
  response: FetchedExchange,
  definition: ScraperDefinition,
  archived: string | undefined,
): Read {
  const { status } = response;
  const { step, depth, context } = request.spec;
  if (step === undefined) return done(status, NOTHING);
  const identity = Buffer.from(request.identity).toString('hex');
  try {
    return done(
      status,
      runStep(definition, { step, base: response.url, depth, identity }, inputOf(request, response, archived), context),
    );
  } catch (error) {
    const reason =
      error instanceof CurlewError ? error.message : `${definition.name}.${step} threw: ${messageOf(error)}`;
    const code = error instanceof CurlewError ? error.code : ErrorCode.stepFailed;
    const data = { code, step, message: reason, ...(error instanceof Error && { stack: error.stack ?? '' }) };
    return {
      settlement: { kind: 'settled', verdict: 'failed', status, reason },
      gathered: NOTHING,
      events: [{ kind: 'step_failed', data }],
    };
  }
}

function done(status: number, gathered: Gathered): Read {
  return { settlement: { kind: 'settled', verdict: 'done', status, reason: undefined }, gathered, events: [] };
}

function inputOf(request: ClaimedRequest, response: FetchedExchange, archived: string | undefined): Page | SavedFile {
  const { url, status, responseHeaders: headers, body } = response;
  const common = { url, requestUrl: request.spec.url, status, headers };
  if (body.kind === 'file') return new SavedFile({ ...common, path: body.path, size: body.size, sha256: body.sha256 });
  return new Page({ ...common, body: body.decoded, ...(archived !== undefined && { archivedAs: archived }) });
}

/** An answer without a page: only its meaning is written down. */
function passOver(request: ClaimedRequest, outcome: OutcomeWithoutPage, options: FinishOptions): Read {
  const attempts = request.attempts + 1;
  const retry = options.retries ? decideRetry(attempts, options.random) : GIVE_UP;
  const settlement = settle(outcome, retry, attempts, options.clock.now());
  return { settlement, gathered: NOTHING, events: eventsOf(outcome, settlement) };
}

const GIVE_UP = { kind: 'give_up' } as const;

function eventsOf(outcome: OutcomeWithoutPage, settlement: Settlement): NewEvent[] {
  switch (settlement.kind) {
    case 'returned':
      return [];
    case 'delayed':
      return [{ kind: 'retry', data: { reason: settlement.reason, due: settlement.dueAt } }];
    case 'settled':
      return settlement.verdict === 'absent' || settlement.verdict === 'done'
        ? []
        : [{ kind: settlement.verdict, data: { outcome: outcome.kind, reason: settlement.reason ?? '' } }];
  }
}
