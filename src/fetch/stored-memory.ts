// What fetching remembers, on its way into the ledger and back. The ledger keeps it as JSON and does not look inside. It is
// written by the code that reads it again, and so it is not checked: this is the one place that relies on that.

import type { Json } from '../platform/json.ts';
import type { FetchMemory, Unsaved } from './fetch-memory.ts';
import type { HostState } from './host-state.ts';
import type { RobotsRecord } from './robots/robots-store.ts';

interface StoredMemory {
  readonly sessions: Json;
  readonly hosts: ReadonlyMap<string, Json>;
  readonly robots: ReadonlyMap<string, Json>;
}

export interface StoredUnsaved extends Omit<StoredMemory, 'sessions'> {
  readonly sessions: Json | undefined;
  readonly opened?: Json | undefined;
  readonly events: readonly (Readonly<Record<string, Json>> & { readonly kind: string })[];
}

export function readMemory(stored: StoredMemory): FetchMemory {
  return stored as unknown as FetchMemory;
}

export function readHostStates(stored: StoredMemory['hosts']): FetchMemory['hosts'] {
  return stored as unknown as FetchMemory['hosts'];
}

export function readRobots(stored: StoredMemory['robots']): FetchMemory['robots'] {
  return stored as unknown as FetchMemory['robots'];
}

/** One entry of these. */
export function readEntry(stored: Json): RobotsRecord {
  return stored as unknown as RobotsRecord;
}

export function storeUnsaved(unsaved: Unsaved): StoredUnsaved {
  return unsaved as unknown as StoredUnsaved;
}

/** One entry of the maps above. */
export function storeEntry(entry: HostState | RobotsRecord): Json {
  return entry as unknown as Json;
}
