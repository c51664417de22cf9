// What becomes of who sends a wrong token: the first are told so at once, more from the same address or with the same token
// wait for their answer, longer each time. A right token never comes here: nobody can lock another out.

import { hash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { HttpError } from '../http/http-error.ts';
import { AttemptLimit } from './attempt-limit.ts';

const FIRST_HOLD_MS = 250;
const LONGEST_HOLD_MS = 5_000;
/** Answers that are held back at once. Beyond it they are given at once: memory stays bounded. */
const MOST_HELD = 64;

export class WrongTokens {
  readonly #clock: Clock;
  readonly #addresses: AttemptLimit;
  readonly #tokens: AttemptLimit;
  readonly #closing = new AbortController();
  #held = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#addresses = new AttemptLimit(clock);
    this.#tokens = new AttemptLimit(clock);
  }

  /** Counts a wrong token. Gives 429 `too_many_attempts`, after a while, or undefined when this one is free. */
  async count(given: string, address: string): Promise<HttpError | undefined> {
    const byAddress = this.#addresses.failed(networkOf(address));
    // By its hash: a wrong token may be the right one of something else.
    const byToken = this.#tokens.failed(hash('sha256', given));
    const excess = Math.max(byAddress.count, byToken.count);
    if (excess === 0) return undefined;
    await this.#hold(Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (excess - 1)));
    const seconds = Math.ceil(Math.max(byAddress.waitMs, byToken.waitMs) / 1_000);
    return new HttpError(
      429,
      'too_many_attempts',
      { message: 'The token was wrong too often.', remedy: `Send the right token, or try again in ${seconds} s.` },
      { 'retry-after': String(seconds) },
    );
  }

  /** Gives all answers that are held back. */
  close(): void {
    this.#closing.abort(new Error('The server stops'));
  }

  async #hold(ms: number): Promise<void> {
    if (this.#held >= MOST_HELD) return;
    this.#held++;
    try {
      await this.#clock.sleep(ms, this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    } finally {
      this.#held--;
    }
  }
}

/** One caller has a whole /64 of IPv6 to himself, and one address of IPv4. */
export function networkOf(address: string): string {
  const [bare = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1);
  if (!bare.includes(':')) return bare;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [
    ...groups,
    ...Array<string>(zeros).fill('0'),
    ...(tail === undefined || tail === '' ? [] : tail.split(':')),
  ];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
