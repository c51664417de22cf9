// Keeps what fetching learnt while a run was worked on. Call it within a transaction of the run's owner.

import type { Instant } from '../platform/clock.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { RunId } from './run.ts';
import type { UnsavedMemory } from './run-writer.ts';

export function keepMemory(
  { runs, hosts, events }: Pick<LedgerTables, 'runs' | 'hosts' | 'events'>,
  run: RunId,
  memory: UnsavedMemory | undefined,
  now: Instant,
): void {
  if (memory === undefined) return;
  if (memory.sessions !== undefined) runs.saveSessions(run, memory.sessions);
  if (memory.opened !== undefined) runs.saveOpened(run, memory.opened);
  hosts.remember(memory, now);
  for (const { kind, ...data } of memory.events) events.add(run, undefined, { kind, data }, now);
}
