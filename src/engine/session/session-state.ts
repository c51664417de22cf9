// What is known of a declared session, and what follows from an answer that says it is over. Pure.

import type { Instant } from '../../platform/clock.ts';
import type { SessionValues } from '../../scraper/session.ts';

export interface OpenedSession {
  /** How often the session has been opened in the run. */
  readonly nth: number;
  /** Which of the texts of a list is used. */
  readonly choice: number;
  readonly values: SessionValues;
  readonly at: Instant;
  /** Whether a request that used a text of a list was answered: then it is the right one, also of a later opening. */
  readonly isAccepted: boolean;
  /** How many requests in a row were refused for good. */
  readonly refused: number;
}

/** More texts of a list are not tried: each costs a request. */
const MOST_CHOICES = 10;
/** When so many requests in a row were refused for good, opening it again is no help: they are made once. */
const MOST_REFUSED = 3;
/** An opening that is older than this may lack a value that the site has by now. */
const YOUNG_MS = 300_000;

export type AfterExpiry =
  /** Another request has opened it anew, or chosen another text. */
  | { readonly kind: 'use_current' }
  | { readonly kind: 'use'; readonly opened: OpenedSession }
  | { readonly kind: 'open' }
  | { readonly kind: 'give_up'; readonly opened: OpenedSession };

/** `used` is what the request was made with; `hasReopened` whether it has had the session opened anew before. */
export function decideExpiry(current: OpenedSession, used: OpenedSession, hasReopened: boolean): AfterExpiry {
  if (used.nth !== current.nth || used.choice !== current.choice) return { kind: 'use_current' };
  const choices = Math.min(MOST_CHOICES, choicesIn(current.values));
  // The first opening may come out of a cache, all of its texts stale.
  if (!current.isAccepted && current.nth > 1 && current.choice + 1 < choices) {
    return { kind: 'use', opened: { ...current, choice: current.choice + 1 } };
  }
  if (!hasReopened && current.refused < MOST_REFUSED) return { kind: 'open' };
  const choice = current.isAccepted ? current.choice : 0;
  return { kind: 'give_up', opened: { ...current, choice, refused: current.refused + 1 } };
}

/** The same after a request that used it was answered. */
export function accepted(current: OpenedSession, used: OpenedSession): OpenedSession {
  const isSame = used.nth === current.nth && used.choice === current.choice;
  if (!isSame || (current.isAccepted && current.refused === 0)) return current;
  return { ...current, isAccepted: true, refused: 0 };
}

/** Whether a value that is missing may be there when it is opened anew. */
export function mayBeOld({ nth, at }: OpenedSession, now: Instant): boolean {
  return nth === 1 || now - at >= YOUNG_MS;
}

/** The text of a value; undefined when the session has none. */
export function valueAt({ values, choice }: OpenedSession, [name = '', key]: readonly string[]): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (key !== undefined) {
    if (value === undefined || typeof value === 'string' || isList(value)) return undefined;
    return Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (typeof value === 'string' || value === undefined) return value;
  return isList(value) ? value[Math.min(choice, value.length - 1)] : undefined;
}

/** What is wrong with values that `read` gave; undefined when nothing is. */
export function findBadValue(values: unknown): string | undefined {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return 'it gave no object of values';
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') continue;
    const texts: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [undefined];
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (isEmptyList || !texts.every((text) => typeof text === 'string')) return `it gave no text for ${name}`;
  }
  return undefined;
}

function choicesIn(values: SessionValues): number {
  return Math.max(1, ...Object.values(values).map((value) => (isList(value) ? value.length : 1)));
}

function isList(value: SessionValues[string]): value is readonly string[] {
  return Array.isArray(value);
}
