// The declared sessions of a run: opened when they are first needed, and again when they have expired, by one request at a time
// however many wait for it. What is known of them outlives the process with the cookies.

import type { FetchedExchange, OutcomeWithoutPage } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import { type OpenerParts, SessionOpener } from './session-opener.ts';
import { accepted, decideExpiry, mayBeOld, type OpenedSession } from './session-state.ts';

/** By name. */
export type SavedOpenings = Readonly<Record<string, OpenedSession>>;

export type Got =
  | { readonly kind: 'open'; readonly opened: OpenedSession }
  | { readonly kind: 'failed'; readonly outcome: OutcomeWithoutPage };

export class SessionKeeper {
  readonly #parts: OpenerParts;
  readonly #opened: Map<string, OpenedSession>;
  /** Openings under way. */
  readonly #opening = new Map<string, Promise<Got>>();
  #changed = false;
  #onChanged: () => void = () => {};

  constructor(parts: OpenerParts, saved: SavedOpenings) {
    this.#parts = parts;
    this.#opened = new Map(Object.entries(saved));
  }

  /** The session as it is open now. `trail` takes what was asked for to open it, if it was this request that did. */
  get(name: string, patience: Patience, trail: FetchedExchange[]): Promise<Got> {
    const opening = this.#opening.get(name);
    if (opening !== undefined) return opening;
    const opened = this.#opened.get(name);
    if (opened !== undefined) return Promise.resolve({ kind: 'open', opened });
    return this.#open(name, undefined, patience, trail);
  }

  /** A request was answered that had used it so. */
  accept(name: string, used: OpenedSession): void {
    const current = this.#opened.get(name);
    if (current !== undefined) this.#set(name, accepted(current, used));
  }

  /**
   * A request was told that the session is over. Gives what it is to be made with again; undefined when that is no use.
   * `hasReopened`: whether it was made with a newer opening before.
   */
  async expired(
    name: string,
    used: OpenedSession,
    hasReopened: boolean,
    patience: Patience,
    trail: FetchedExchange[],
  ): Promise<Got | undefined> {
    const current = this.#opened.get(name);
    if (this.#opening.has(name) || current === undefined) return this.get(name, patience, trail);
    const next = decideExpiry(current, used, hasReopened);
    switch (next.kind) {
      case 'use_current':
        return { kind: 'open', opened: current };
      case 'use':
        this.#set(name, next.opened);
        return { kind: 'open', opened: next.opened };
      case 'open':
        return this.#open(name, current, patience, trail);
      case 'give_up':
        this.#set(name, next.opened);
        return undefined;
    }
  }

  /** A value that a request wants is not there. Opens the session anew if that may help. */
  async lacks(name: string, used: OpenedSession, patience: Patience, trail: FetchedExchange[]): Promise<Got> {
    const current = this.#opened.get(name);
    const isOld = current?.nth === used.nth && mayBeOld(current, this.#parts.clock.now());
    if (isOld && !this.#opening.has(name)) return this.#open(name, current, patience, trail);
    return this.get(name, patience, trail);
  }

  /** What changed since the last call, all of it; undefined when nothing did. */
  takeChanged(): SavedOpenings | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    return Object.fromEntries(this.#opened);
  }

  watch(onChanged: () => void): void {
    this.#onChanged = onChanged;
  }

  #open(name: string, before: OpenedSession | undefined, patience: Patience, trail: FetchedExchange[]): Promise<Got> {
    const opening = this.#openNow(name, before, patience, trail).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  async #openNow(
    name: string,
    before: OpenedSession | undefined,
    patience: Patience,
    trail: FetchedExchange[],
  ): Promise<Got> {
    const { definition, clock } = this.#parts;
    const opener = new SessionOpener(this.#parts, name, definition.sessionNamed(name));
    const nth = (before?.nth ?? 0) + 1;
    try {
      const came = await opener.open(nth, patience);
      if (came.kind === 'failed') return came;
      const { choice = 0, isAccepted = false, refused = 0 } = before ?? {};
      const kept = { choice: isAccepted ? choice : 0, isAccepted, refused };
      const opened: OpenedSession = { nth, values: came.values, at: clock.now(), ...kept };
      this.#set(name, opened);
      return { kind: 'open', opened };
    } finally {
      trail.push(...opener.trail());
    }
  }

  #set(name: string, opened: OpenedSession): void {
    if (this.#opened.get(name) === opened) return;
    this.#opened.set(name, opened);
    this.#changed = true;
    this.#onChanged();
  }
}
