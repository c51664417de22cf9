// One thing that happened to a case, as a sentence. Pure. What has no sentence here is told with its names and values, so
// that nothing that is stored goes unsaid.

import type { HistoryRow } from '../../ledger/mirror/case-history-table.ts';
import type { StoredMirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { Json } from '../../platform/json.ts';
import { errorCodeNamed, MIRROR_ERRORS } from '../error-codes.ts';

type Fields = Readonly<Record<string, Json>>;

/** What a version of the index said of a case. */
export function historySentence({ versionId, change, field, old, new: now }: HistoryRow): string {
  const version = `version ${versionId} of the index`;
  switch (change) {
    case 'added':
      return `Listed for the first time, in ${version}.`;
    case 'removed':
      return `No longer listed, from ${version} on.`;
    case 'returned':
      return `Listed again, in ${version}.`;
    case 'changed':
      return `Its ${String(field).replaceAll('_', ' ')} changed from ${quote(old)} to ${quote(now)}, in ${version}.`;
  }
}

/** What a run did about a case. */
export function eventSentence({ runId, label, fields: stored }: StoredMirrorEvent): string {
  const fields = fieldsOf(stored);
  const sentence = sentenceOf(label, fields) ?? `${label}: ${namesAndValues(fields)}.`;
  const attempt = typeof fields.attempt === 'number' && fields.attempt > 0 ? `, attempt ${fields.attempt}` : '';
  return runId === null ? sentence : `Run ${runId}${attempt}: ${sentence}`;
}

/** Whether the sentence of another event says it already. */
export function isSaidElsewhere(event: StoredMirrorEvent, all: readonly StoredMirrorEvent[]): boolean {
  const fields = fieldsOf(event.fields);
  // The decision about a retry comes just before it, and says more.
  if (event.label === 'DECISION') return fields.decision === 'skip_retry';
  if (fields.phase !== 'verified') return false;
  return all.some((other) => {
    const { to_status, file_sha256 } = fieldsOf(other.fields);
    return other.runId === event.runId && to_status === 'downloaded' && file_sha256 === fields.file_sha256;
  });
}

function sentenceOf(label: string, fields: Fields): string | undefined {
  if (label === 'ERROR' && fields.to_status !== undefined) {
    return `it was to become ${words(fields.to_status)} and stayed ${words(fields.from_status)}: that change is not allowed.`;
  }
  if (label === 'DECISION' && fields.decision === 'adopt') {
    return 'a file that was in its place already was taken over: it is the one that was checked before.';
  }
  if (label === 'DECISION' && fields.decision === 'keep') return 'the court still has the file that is held.';
  if (label === 'DECISION' && fields.decision === 'amended') {
    return `the court has another file by now: it becomes version ${String(fields.file_version)}, and the one before is kept.`;
  }
  if (label === 'DECISION' && fields.decision === 'skip') return `passed over: ${meaningOf(fields.reason)}.`;
  switch (fields.phase) {
    case 'download_state':
      return stateSentence(fields);
    case 'retry_decision':
      return fields.retry === true
        ? `another attempt follows in this run, after ${Number(fields.wait_ms ?? 0) / 1_000} s at the earliest.`
        : 'no further attempt in this run.';
    case 'verified':
      return `the file was checked, ${fileOf(fields)}.`;
    default:
      return undefined;
  }
}

function stateSentence(fields: Fields): string | undefined {
  const why = () => {
    const meaning = meaningOf(fields.error_code);
    const message = fields.error_message === undefined ? meaning : String(fields.error_message);
    return `(${String(fields.error_code)}): ${message}`;
  };
  switch (fields.to_status) {
    case 'in_progress':
      return 'the court was asked for the file.';
    case 'downloaded':
      return `downloaded, ${fileOf(fields)}.`;
    case 'failed':
      return `failed ${why()}.`;
    case 'skipped':
      return `passed over ${why()}.`;
    case 'pending':
      return 'the run stopped before the attempt ended; a resume takes it up again.';
    default:
      return undefined;
  }
}

function fileOf({ file_size_bytes, file_sha256 }: Fields): string {
  const size = Number(file_size_bytes);
  return `${size.toLocaleString('en-GB')} bytes, SHA-256 ${String(file_sha256)}`;
}

function meaningOf(code: Json | undefined): string {
  const known = errorCodeNamed(String(code ?? ''));
  return known === undefined ? words(code) : MIRROR_ERRORS[known].meaning;
}

function namesAndValues(fields: Fields): string {
  return Object.entries(fields)
    .filter(([name]) => name !== 'token_norm')
    .map(([name, value]) => `${words(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function words(value: Json | undefined): string {
  return String(value ?? 'unknown').replaceAll('_', ' ');
}

function quote(value: string | null): string {
  return value === null ? 'nothing' : JSON.stringify(value);
}

export function fieldsOf(fields: Json): Fields {
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? (fields as Fields) : {};
}
