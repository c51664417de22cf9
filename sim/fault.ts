// What can go wrong on purpose. A fault is plain data; fault-switches.ts decides when it strikes, send-reply.ts and
// front-door.ts carry it out.

/** Which requests a fault strikes, and for how long. Absent fields do not limit it. */
export interface FaultScope {
  /** A prefix of path and query (`/case/1`), or an expression that is searched in them. */
  readonly path?: string | RegExp;
  /** Only requests of this method. */
  readonly method?: string;
  /** Only requests about this one thing, for sites that know what a request is about: a case's token. */
  readonly token?: string;
  /** The first `after` requests that it would strike pass; `count` begins after them. */
  readonly after?: number;
  /** Only the next `count` requests that it would strike; then the switch is off. */
  readonly count?: number;
  /**
   * Share of the requests, 0 to 1. Seeded by method, path (or token, if there is one) and the how-manieth time that was
   * asked for, so the order in which requests arrive does not matter.
   */
  readonly rate?: number;
  /** Only for this long from now; then the switch is off. */
  readonly forMs?: number;
}

/** The request is answered with this status instead of its page. */
interface StatusFault extends FaultScope {
  readonly kind: 'status';
  readonly status: number;
  /** For example `{ 'retry-after': '3' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a short HTML page that names the status. */
  readonly body?: string;
}

/** The connection is reset (RST): before any answer, or after the head and `afterBytes` bytes of the body. */
interface ResetFault extends FaultScope {
  readonly kind: 'reset';
  readonly afterBytes?: number;
}

/** The head comes at once, the body at this speed. */
export interface SlowFault extends FaultScope {
  readonly kind: 'slow';
  readonly bytesPerSecond: number;
}

/** The request is read and never answered; the connection stays open. */
interface SilentFault extends FaultScope {
  readonly kind: 'silent';
}

/** Content-Length promises `missingBytes` (default 100) more than are sent before the connection ends. */
interface TruncateFault extends FaultScope {
  readonly kind: 'truncate';
  readonly missingBytes?: number;
}

/** The answer is right but comes `ms` later, on top of the site's own latency. */
interface LatencyFault extends FaultScope {
  readonly kind: 'latency';
  readonly ms: number;
}

/**
 * The answer is right but waits until this fault is cleared, or the site closes. What it holds is held on when its `count` is
 * used up or its `forMs` is over: these say who is held, not for how long.
 */
export interface HoldFault extends FaultScope {
  readonly kind: 'hold';
}

/** The site itself answers wrongly, in a way that it knows by this name. */
interface QuirkFault extends FaultScope {
  readonly kind: 'quirk';
  readonly name: string;
}

/**
 * The whole site is away, and open connections are cut. `reset`: it still accepts connections but resets each at once.
 * `refuse`: the listening socket is really closed, and opened again on the same port when the fault ends.
 */
export interface DownFault {
  readonly kind: 'down';
  readonly how: 'reset' | 'refuse';
  /** Absent: until it is cleared. */
  readonly forMs?: number;
}

export type RequestFault =
  | StatusFault
  | ResetFault
  | SlowFault
  | SilentFault
  | TruncateFault
  | LatencyFault
  | HoldFault
  | QuirkFault;
export type Fault = RequestFault | DownFault;
