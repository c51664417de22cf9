// What happened to one case, in order: what the index said of it, and what each run did.

import type { HistoryRow } from '../../ledger/mirror/case-history-table.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { StoredMirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Json } from '../../platform/json.ts';
import { normalizeActionToken } from '../csv/normalize-action-token.ts';

interface CaseStep {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: 'index' | 'event';
  readonly run_id: number | null;
  readonly csv_version_id: number | null;
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
  if (known === undefined) {
    throw new CurlewError(ErrorCode.caseNotFound, `There is no case ${JSON.stringify(token)} in ${source}.`, {
      remedy: 'Take the token from the Actions column of the index. curlew mirror sync fetches a new index.',
    });
  }
  const steps = [
    ...(await ledger.historyOf(known.id)).map(stepOfHistory),
    ...(await ledger.eventsOfCase(known.id)).map(stepOfEvent),
  ];
  // The index first, where both happened at once: sorting keeps the order of equals.
  return { case: known, steps: steps.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)) };
}

function stepOfHistory({
  at,
  versionId,
  change,
  field,
  old,
  new: now,
}: HistoryRow & { readonly at: string }): CaseStep {
  const what =
    change === 'changed'
      ? `${field} changed from ${JSON.stringify(old)} to ${JSON.stringify(now)} in version ${versionId}`
      : { added: 'added by', removed: 'gone from', returned: 'back in' }[change].concat(
          ` version ${versionId} of the index`,
        );
  const fields = change === 'changed' ? { change, field, old, new: now } : { change };
  return { at, kind: 'index', run_id: null, csv_version_id: versionId, what, fields };
}

function stepOfEvent({ at, runId, label, fields }: StoredMirrorEvent): CaseStep {
  return { at, kind: 'event', run_id: runId, csv_version_id: null, what: `${label} ${sentenceOf(fields)}`, fields };
}

/** The fields that say what happened, without those that are the same in every line. */
function sentenceOf(fields: Json): string {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return JSON.stringify(fields);
  const {
    phase: _phase,
    token_norm: _token,
    from_status: from,
    to_status: to,
    ...rest
  } = fields as Record<string, Json>;
  const move = from === undefined || to === undefined ? [] : [`${from} → ${to}`];
  const others = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...move, ...others].join(' ');
}
