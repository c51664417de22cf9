// What a version of the index changes in the cases that are known. Pure.

import {
  type CaseChanges,
  type CaseFields,
  type FieldChange,
  type StoredCase,
  TRACKED_COLUMNS,
  type TrackedField,
} from '../../ledger/mirror/case-row.ts';

const TRACKED = Object.keys(TRACKED_COLUMNS) as TrackedField[];

/** `named`: tokens of cases that are in the version, although their rows cannot be read. They stay as they are. */
export function diffCases(
  known: readonly StoredCase[],
  incoming: readonly CaseFields[],
  named: ReadonlySet<string>,
): CaseChanges {
  const byToken = new Map(known.map((stored) => [stored.actionTokenNorm, stored]));
  const added: CaseFields[] = [];
  const kept: CaseChanges['kept'][number][] = [];
  for (const fields of incoming) {
    const stored = byToken.get(fields.actionTokenNorm);
    byToken.delete(fields.actionTokenNorm);
    if (stored === undefined) added.push(fields);
    else kept.push({ id: stored.id, fields, changes: diffFields(stored, fields), returned: !stored.isActive });
  }
  const removed = [...byToken.values()]
    .filter(({ isActive, actionTokenNorm }) => isActive && !named.has(actionTokenNorm))
    .map(({ id }) => id);
  return { added, kept, removed };
}

function diffFields(old: CaseFields, now: CaseFields): FieldChange[] {
  return TRACKED.filter((field) => old[field] !== now[field]).map((field) => ({
    field: TRACKED_COLUMNS[field],
    old: old[field],
    new: now[field],
  }));
}
