// What happened to a request, in order, as sentences.

import type { StoredExchange } from '../../ledger/exchange-table.ts';
import type { EventReportRow } from '../../ledger/reports/event-report.ts';
import type { RequestFacts } from '../../ledger/reports/reports.ts';
import type { Json } from '../../platform/json.ts';
import type { StoryStep } from '../contract/requests.ts';
import { clean, cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';

export function requestStory(facts: RequestFacts, exchanges: readonly StoredExchange[]): StoryStep[] {
  const happened = [...exchanges.map(ofExchange), ...facts.events.map(ofEvent)];
  // Events are stamped when they are committed, exchanges when they begin: so equal times keep this order.
  happened.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : (a.at ?? '') > (b.at ?? '') ? 1 : 0));
  return [step({ what: `Asked for ${originOf(facts)}.` }), ...happened, step({ what: endOf(facts) })];
}

function originOf({ parent, probes, startPages }: RequestFacts): string {
  const [probe] = probes;
  if (probe !== undefined) {
    const where = probe.partition === '' ? probe.speculator : `${probe.speculator} (${probe.partition})`;
    return `as id ${probe.id} of ${where}`;
  }
  if (parent !== undefined) return `by the page ${parent.url}`;
  return startPages.length > 0 ? `by the list ${startPages[0]}` : 'by an entry of the run';
}

function ofExchange({ id, at, hop, url, status, bodySize, durationMs, filePath }: StoredExchange): StoryStep {
  const led = hop === 0 ? url : `Led on to ${url}`;
  const kept = filePath === undefined ? `${bodySize} bytes` : `${bodySize} bytes, kept as a file`;
  return step({ at: iso(at), what: `${led}: ${status}, ${kept} in ${durationMs} ms.`, exchange: id });
}

function ofEvent({ at, run, kind, data }: EventReportRow): StoryStep {
  return step({ at, what: sentenceOf(kind, data), run: run ?? null, data: clean(data) });
}

function sentenceOf(kind: string, data: Json): string {
  const fields =
    typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Record<string, Json>) : {};
  const reason = cleanText(String(fields.reason ?? fields.message ?? ''));
  switch (kind) {
    case 'retry':
      return `Failed: ${reason}. Tried again at ${iso(Number(fields.due))}.`;
    case 'step_failed':
      return `The step ${String(fields.step)} failed: ${cleanText(String(fields.message ?? ''))}`;
    case 'requeued':
      return `Requeued; it was ${String(fields.was)}.`;
    case 'blocked':
      return `Refused: ${reason}.`;
    case 'skipped':
      return `Passed over: ${reason}.`;
    case 'failed':
      return `Given up: ${reason}.`;
    case 'unknown':
      return `Never answered: ${reason}.`;
    default:
      return reason === '' ? kind : `${kind}: ${reason}`;
  }
}

function endOf({ request, records }: RequestFacts): string {
  const { verdict, reason, state, attempts, dueAt } = request;
  const why = reason === undefined ? '' : `: ${cleanText(reason)}`;
  switch (verdict) {
    case 'done':
      return `Done: ${records.length} ${records.length === 1 ? 'record' : 'records'}.`;
    case undefined:
      if (state === 'delayed') return `It is tried again at ${iso(dueAt)}, after ${attempts} failed attempts.`;
      return state === 'claimed' ? 'It is being fetched.' : 'It is pending.';
    default:
      return `It is ${verdict}${why}.`;
  }
}

function step(rest: Partial<StoryStep> & Pick<StoryStep, 'what'>): StoryStep {
  return { at: null, run: null, exchange: null, data: null, ...rest };
}
