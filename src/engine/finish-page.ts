// From an answer to what is written down of it: the verdict, and what the author's code is to make of it.

import type { Outcome, OutcomeWithoutPage } from '../fetch/outcome.ts';
import { decideRetry } from '../fetch/politeness/retry-policy.ts';
import type { ClaimedRequest, PageResult, Settlement } from '../ledger/page-result.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { NOTHING } from './run-step.ts';
import { settle } from './settle.ts';
import type { Reading, ReadingJob } from './steps/reading.ts';

/** A page worked to its end, but for its exchanges. */
export type FinishedPage = Omit<PageResult, 'exchanges'>;

export interface FinishOptions {
  readonly definition: ScraperDefinition;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether an attempt that failed may be followed by another. */
  readonly retries: boolean;
}

/** What is to be read of an answer before its page is finished; what it came to, when no code of the author's has a say. */
export function planReading(request: ClaimedRequest, outcome: Outcome, options: FinishOptions): ReadingJob | Reading {
  if (outcome.kind !== 'ok') return passOver(request, outcome, options);
  const identity = Buffer.from(request.identity).toString('hex');
  return { kind: 'answer', spec: request.spec, identity, response: outcome.response };
}

export function finishPage(request: ClaimedRequest, { gathered, ...read }: Reading): FinishedPage {
  return { request, ...read, ...gathered };
}

/** An answer without a page: only its meaning is written down, and what the author wants for an id that is not there. */
function passOver(request: ClaimedRequest, outcome: OutcomeWithoutPage, options: FinishOptions): ReadingJob | Reading {
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
  const settled = { settlement, events, probe: verdict };
  if (options.definition.speculators.get(probe.speculator)?.options.onMiss === undefined) {
    return { ...settled, gathered: NOTHING };
  }
  return { kind: 'miss', probe, miss: { partition: probe.partition, kind: outcome.kind, status, reason }, settled };
}

const GIVE_UP = { kind: 'give_up' } as const;

function eventsOf(outcome: OutcomeWithoutPage, settlement: Settlement): Reading['events'] {
  const kept: Readonly<Record<string, string>> =
    outcome.kind === 'url_specific' && outcome.kept !== undefined ? { kept: outcome.kept } : {};
  switch (settlement.kind) {
    case 'returned':
    case 'parked':
      return [];
    case 'delayed':
      return [{ kind: 'retry', data: { reason: settlement.reason, due: settlement.dueAt, ...kept } }];
    case 'settled':
      return settlement.verdict === 'absent' || settlement.verdict === 'done'
        ? []
        : [{ kind: settlement.verdict, data: { outcome: outcome.kind, reason: settlement.reason ?? '', ...kept } }];
  }
}
