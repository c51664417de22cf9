// How long a caller is willing to wait, in two degrees: stopping gently, and at once.

/** How long to wait for something: until either of these says so. */
export interface Patience {
  /** Ends the waiting for politeness' sake: what has not left yet does not leave any more. */
  readonly stop: AbortSignal;
  /** Ends everything at once. */
  readonly abort: AbortSignal;
  /**
   * What to do when a redirect leads to another host, and that one is down or has asked for time. `return`: come back with an
   * outcome that says when to try again (`notBefore`), for the place is wanted for others. Default: wait.
   */
  readonly elsewhere?: 'return';
}

const NEVER = new AbortController().signal;

/** Waits as long as it takes. */
export const PATIENT: Patience = { stop: NEVER, abort: NEVER };
