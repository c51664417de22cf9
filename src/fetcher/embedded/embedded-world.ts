// The parts of a fetcher that is alone in a data directory, opened, and closed in the right order.

import type { Unsaved } from '../../fetch/fetch-memory.ts';
import { NotedPoliteness } from '../../fetch/noted/noted-politeness.ts';
import { readHostStates, storeEntry } from '../../fetch/stored-memory.ts';
import { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import { FetcherLock } from '../../ledger/fetcher/fetcher-lock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FetcherConfig } from '../fetcher-config.ts';
import { eventFile } from '../fetcher-place.ts';
import type { FetcherWorld, WorldOptions } from '../fetcher-world.ts';
import { openEmbeddedBackend } from './embedded-backend.ts';
import { JsonlEventLog } from './jsonl-event-log.ts';

/** Throws `run_owned` when another fetcher works in the directory. */
export async function openEmbeddedWorld(
  data: string,
  config: FetcherConfig,
  { clock, random }: WorldOptions,
): Promise<FetcherWorld> {
  const lock = FetcherLock.take(data);
  const backend = openEmbeddedBackend(data, { clock, outboxLimit: config.outboxLimit });
  const ledger = FetcherLedger.open(data);
  const { notes, hosts } = ledger;
  const politeness = new NotedPoliteness({ notes, clock, random, hosts: readHostStates(hosts.states()) });
  return {
    backend,
    politeness,
    eventLog: await JsonlEventLog.open(eventFile(data, config)),
    checkLog: async () => {},
    remember: (unsaved) => saveHosts(ledger, unsaved, clock),
    async close() {
      ledger.close();
      await backend.close();
      lock.release();
    },
  };
}

/** So that a restart neither bursts nor forgets an outage. */
function saveHosts(ledger: FetcherLedger, { hosts }: Unsaved, clock: Clock): void {
  if (hosts.size === 0) return;
  const states = new Map([...hosts].map(([host, state]) => [host, storeEntry(state)]));
  ledger.transaction(() => ledger.hosts.remember({ hosts: states, robots: new Map() }, clock.now()));
}
