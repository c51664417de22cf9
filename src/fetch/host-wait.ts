// What is waited for before anything more is asked of a host, why, and until when: for progress, `status` and the dashboard.
// Pure; the same for a gate at work and for the state that it left in the ledger.

import type { Instant } from '../platform/clock.ts';
import type { HostState } from './host-state.ts';

/** What is waited for before more is asked of a host, or sent through a proxy. */
export interface HostWait {
  /** `host:port`, or the name of a proxy. */
  readonly host: string;
  /** When it is asked again, in ms since the Unix epoch; undefined: as soon as its turn comes, or when what is under way has ended. */
  readonly until: number | undefined;
  /** As a clause for people. */
  readonly reason: string;
}

/** An answer that takes longer is told of. */
const SLOW_MS = 10_000;

/** A host that was asked and has neither answered nor failed; undefined while that is not worth telling. */
export function slowAnswer(host: string, silentMs: number): HostWait | undefined {
  if (silentMs < SLOW_MS) return undefined;
  return { host, until: undefined, reason: `no complete answer for ${Math.floor(silentMs / 1000)} s` };
}

type Waiting = Pick<HostState, 'breaker' | 'rate' | 'trouble' | 'heldFor' | 'proxiesRestUntil'>;

/** Undefined when the host is asked as usual. */
export function waitOf(host: string, state: Waiting, now: Instant): HostWait | undefined {
  const { breaker, rate, trouble, heldFor, proxiesRestUntil } = state;
  const heldUntil = rate.heldUntil > now ? rate.heldUntil : undefined;
  if (breaker.kind !== 'closed') {
    const why = trouble?.reason ?? `${breaker.failures} failures in a row`;
    if (breaker.kind === 'half_open') return { host, until: heldUntil, reason: `breaker half open, probing: ${why}` };
    return { host, until: Math.max(breaker.probeAt, heldUntil ?? 0), reason: `breaker open: ${why}` };
  }
  if (heldUntil !== undefined)
    return { host, until: heldUntil, reason: `it asked for time: ${heldFor ?? 'Retry-After'}` };
  if (proxiesRestUntil !== undefined && proxiesRestUntil > now) {
    return { host, until: proxiesRestUntil, reason: 'all proxies rest' };
  }
  return trouble === undefined ? undefined : { host, until: undefined, reason: `no answer so far: ${trouble.reason}` };
}
