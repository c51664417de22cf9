// What happened to one case, in order: what the index said of it, and what each run did.

import type { HistoryRow } from '../../ledger/mirror/case-history-table.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { StoredMirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { Json } from '../../platform/json.ts';
import { normalizeActionToken } from '../csv/normalize-action-token.ts';
import { caseNotFound } from '../named-case.ts';
import { eventSentence, fieldsOf, historySentence, isSaidElsewhere } from './case-sentence.ts';

interface CaseStep {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: 'index' | 'event';
  readonly run_id: number | null;
  readonly csv_version_id: number | null;
  /** Of its run: the first, the second. */
  readonly attempt: number | null;
  /** Of the file that was checked or kept. */
  readonly file_sha256: string | null;
  /** As a sentence. */
  readonly what: string;
  readonly fields: Json;
}

export interface ExplainedCase {
  readonly case: StoredCase;
  readonly steps: readonly CaseStep[];
}

/** The token as it stands in the index or normalised. Throws `case_not_found`. */
export async function explainCase(ledger: MirrorLedger, source: string, token: string): Promise<ExplainedCase> {
  const known = await ledger.findCase(source, normalizeActionToken(token));
  if (known === undefined) throw caseNotFound(source, token);
  const events = await ledger.eventsOfCase(known.id);
  const steps = [
    ...(await ledger.historyOf(known.id)).map(stepOfHistory),
    ...events.filter((event) => !isSaidElsewhere(event, events)).map(stepOfEvent),
  ];
  // The index first, where both happened at once: sorting keeps the order of equals.
  return { case: known, steps: steps.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)) };
}

function stepOfHistory(row: HistoryRow & { readonly at: string }): CaseStep {
  const { at, versionId, change, field, old, new: now } = row;
  const fields = change === 'changed' ? { change, field, old, new: now } : { change };
  return {
    at,
    kind: 'index',
    run_id: null,
    csv_version_id: versionId,
    attempt: null,
    file_sha256: null,
    what: historySentence(row),
    fields,
  };
}

function stepOfEvent(event: StoredMirrorEvent): CaseStep {
  const { attempt, file_sha256 } = fieldsOf(event.fields);
  return {
    at: event.at,
    kind: 'event',
    run_id: event.runId,
    csv_version_id: null,
    attempt: typeof attempt === 'number' ? attempt : null,
    file_sha256: typeof file_sha256 === 'string' ? file_sha256 : null,
    what: eventSentence(event),
    fields: event.fields,
  };
}
