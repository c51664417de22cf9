// Which fault strikes which request. Switches are asked in the order in which they were set, and the first that
// applies strikes alone. There is at most one outage at a time.

import type { Clock } from '../src/platform/clock.ts';
import { CurlewError, ErrorCode } from '../src/platform/errors.ts';
import { chance } from './chance.ts';
import type { DownFault, Fault, HoldFault, RequestFault } from './fault.ts';

/** What can be shut and opened again: the site's listening socket. */
export interface Door {
  shut(how: DownFault['how']): void;
  /** Resolves when connections are taken again. */
  open(): Promise<void>;
}

/** A fault that is switched on, with the id that `clear` takes. */
export interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
}

interface RequestSwitch {
  readonly id: number;
  readonly fault: RequestFault;
  readonly endsAt: number;
  /** How many it still lets pass. */
  passing: number;
  left: number;
  /** How often each method and path, or token, was asked for: for `rate`. */
  readonly asked: Map<string, number>;
}

/** A hold outlives its switch, which may be used up: it ends when it is cleared. */
interface Hold {
  readonly id: number;
  readonly fault: HoldFault;
  readonly cleared: AbortController;
}

interface Outage {
  readonly id: number;
  readonly fault: DownFault;
  readonly ended: AbortController;
}

export class FaultSwitches {
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #door: Door;
  #switches: RequestSwitch[] = [];
  #holds: Hold[] = [];
  #outage: Outage | undefined;
  #lastId = 0;

  constructor(options: { readonly clock: Clock; readonly seed: number; readonly door: Door }) {
    this.#clock = options.clock;
    this.#seed = options.seed;
    this.#door = options.door;
  }

  /** Switches a fault on, from this moment. Returns its id. Throws if the site is to go down while it is down. */
  set(given: Fault): number {
    const id = ++this.#lastId;
    // A copy, by which the switch that has struck can be told from all others.
    const fault = { ...given };
    if (fault.kind === 'hold') this.#holds.push({ id, fault, cleared: new AbortController() });
    if (fault.kind === 'down') this.#goDown({ id, fault, ended: new AbortController() });
    else {
      const endsAt = this.#clock.monotonic() + (fault.forMs ?? Number.POSITIVE_INFINITY);
      const { after = 0, count = Number.POSITIVE_INFINITY } = fault;
      this.#switches.push({ id, fault, endsAt, passing: after, left: count, asked: new Map() });
    }
    return id;
  }

  /** Switches off one fault, or all. Unknown ids are ignored. After an outage, resolves when the site is reachable. */
  async clear(id?: number): Promise<void> {
    const isMeant = (one: { readonly id: number }) => id === undefined || one.id === id;
    this.#switches = this.#switches.filter((one) => !isMeant(one));
    for (const hold of this.#holds) if (isMeant(hold)) hold.cleared.abort();
    this.#holds = this.#holds.filter((one) => !isMeant(one));
    const outage = this.#outage;
    if (outage === undefined || !isMeant(outage)) return;
    await this.#comeUp(outage);
  }

  /** The faults that are on now. */
  active(): ActiveFault[] {
    this.#dropEnded();
    const outages = this.#outage === undefined ? [] : [this.#outage];
    return [...outages, ...this.#switches].map(({ id, fault }) => ({ id, fault }));
  }

  /** The fault that strikes this request, if any, and counts it. `target` is path and query, `token` what it is about. */
  strike(method: string, target: string, token?: string): RequestFault | undefined {
    if (this.#switches.length === 0) return undefined;
    this.#dropEnded();
    const request = `${method} ${token ?? target}`;
    const hit = this.#switches.find(
      (one) => matches(one.fault, method, target, token) && this.#isDrawn(one, request) && one.passing-- <= 0,
    );
    if (hit !== undefined) hit.left--;
    return hit?.fault;
  }

  /** Fires when the hold that has struck is cleared, and has fired if it was. */
  cleared(fault: HoldFault): AbortSignal {
    return this.#holds.find((hold) => hold.fault === fault)?.cleared.signal ?? AbortSignal.abort();
  }

  #isDrawn(one: RequestSwitch, request: string): boolean {
    const { rate } = one.fault;
    if (rate === undefined) return true;
    const asked = (one.asked.get(request) ?? 0) + 1;
    one.asked.set(request, asked);
    return chance(this.#seed, 'fault', one.id, request, asked).next() < rate;
  }

  #dropEnded(): void {
    const now = this.#clock.monotonic();
    if (this.#switches.some((one) => one.left <= 0 || one.endsAt <= now)) {
      this.#switches = this.#switches.filter((one) => one.left > 0 && one.endsAt > now);
    }
  }

  #goDown(outage: Outage): void {
    if (this.#outage !== undefined) {
      const remedy = 'Clear the outage first.';
      throw new CurlewError(ErrorCode.usage, `The site is already down (fault ${this.#outage.id}).`, { remedy });
    }
    this.#outage = outage;
    this.#door.shut(outage.fault.how);
    const { forMs } = outage.fault;
    if (forMs === undefined) return;
    this.#clock.sleep(forMs, outage.ended.signal).then(
      () => this.#comeUp(outage),
      () => undefined, // Cleared: `clear` opens the door.
    );
  }

  async #comeUp(outage: Outage): Promise<void> {
    outage.ended.abort();
    this.#outage = undefined;
    await this.#door.open();
  }
}

function matches(
  { path, method: only, token: wanted }: RequestFault,
  method: string,
  target: string,
  token: string | undefined,
): boolean {
  if (wanted !== undefined && wanted !== token) return false;
  if (only !== undefined && only !== method) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? target.startsWith(path) : target.search(path) !== -1;
}
