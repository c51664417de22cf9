// Cases that are not held, by why and what to do: the most frequent first, with an example each.

interface MissingCase {
  readonly reason: string;
  readonly next_action: string;
}

export interface MissingGroup<Case> {
  readonly reason: string;
  readonly nextAction: string;
  readonly count: number;
  readonly example: Case;
}

export function groupMissing<Case extends MissingCase>(missing: readonly Case[]): MissingGroup<Case>[] {
  const groups = new Map<string, MissingGroup<Case>>();
  for (const example of missing) {
    const key = JSON.stringify([example.reason, example.next_action]);
    const group = groups.get(key) ?? { reason: example.reason, nextAction: example.next_action, count: 0, example };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
