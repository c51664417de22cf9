// The circuit breaker of one host, as its gate sees it. While it is open, callers wait and nobody is turned away: their
// requests are not wrong, the host is. Whether its state is this process' own or shared by many is the implementation's
// affair.

import type { BreakerState, HostSign, ProbeResult } from './breaker-state.ts';

/** The permission to send one request; its result is reported under it. */
export interface BreakerTicket {
  readonly generation: number;
}

/** What a breaker needs of its host. */
export interface BreakerHost {
  /** Asks whether the host is back: a HEAD to its root, then a GET if that fails. Run by one caller at a time, over all who share the state. */
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>;
  /** Called after every change, to save and to report. Must not throw. */
  readonly onChange?: (state: BreakerState) => void;
  /** Called after a change that was decided here, and not by another who shares the state. Must not throw. */
  readonly onDecided?: (from: BreakerState, to: BreakerState) => void;
}

export interface Breaker {
  /** The present state as far as it is known here, plain data. */
  readonly state: BreakerState;
  /**
   * Resolves when requests may go to the host: at once while closed, else when a probe has closed it. Rejects with the
   * signal's reason on abort, and with what the probe throws, if it does.
   */
  waitUntilAllowed(signal: AbortSignal): Promise<BreakerTicket>;
  /**
   * May a request still leave under this ticket? False once the breaker has opened since: then ask for a new one. A
   * promise only where somebody else has to be asked; it does not reject.
   */
  isValid(ticket: BreakerTicket): boolean | Promise<boolean>;
  /** What the request that left under `ticket` says about the host. */
  record(ticket: BreakerTicket, sign: HostSign): void;
}
