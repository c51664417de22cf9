// What a run, or the walk of a site, waits for: read from the ledger, so that any process can tell. The state of each host is
// saved within a tenth of a second of when it changes.

import { type HostWait, waitOf } from '../fetch/host-wait.ts';
import { readHostStates } from '../fetch/stored-memory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunId } from '../ledger/run.ts';
import type { Instant } from '../platform/clock.ts';

/** What a run that is at work waits for, by host. Of one that nobody works on it says what was waited for last. */
export async function runWaits(ledger: Ledger, run: RunId, now: Instant): Promise<HostWait[]> {
  const hosts = await ledger.waitedHosts(run);
  return hosts.length === 0 ? [] : waitsOf(ledger, hosts, now);
}

/** What is waited for before more is asked of these hosts (`host:port`). */
export async function waitsOf(ledger: Ledger, hosts: readonly string[], now: Instant): Promise<HostWait[]> {
  const states = readHostStates(await ledger.hostStates());
  return hosts.flatMap((host) => {
    const state = states.get(host);
    const wait = state && waitOf(host, state, now);
    return wait === undefined ? [] : [wait];
  });
}
