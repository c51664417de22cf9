// Redis as politeness sees it: whoever has to ask waits until it answers, and the wait is told of. Nobody ever goes on
// without an answer, for that would be to go unlimited.

import { unlessAborted } from '../../../fetch/politeness/unless-aborted.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { RedisLink } from './redis-link.ts';

/** Told once when an outage begins, and once when it is over. */
export type RedisStatus =
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'reachable'; readonly afterMs: number };

/** An answer that takes longer is no answer yet. */
const ANSWER_MS = 1_000;
const RETRY_MS = 250;
/** What is under way at the end gets this long. */
const CLOSE_MS = 1_000;

export class PatientRedis {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly #onStatus: (status: RedisStatus) => void;
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #awaySince: number | undefined;

  constructor(link: RedisLink, clock: Clock, onStatus: (status: RedisStatus) => void) {
    this.link = link;
    this.clock = clock;
    this.#onStatus = onStatus;
  }

  /** Aborts shortly after `close`: for what has no signal of its own. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Asks until there is an answer. What is asked may be asked twice. Rejects only with the signal's reason, on abort. */
  async ask<T>(question: (link: RedisLink) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    for (;;) {
      try {
        return await unlessAborted(this.#once(question), signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#away(messageOf(error));
        await this.clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** Asks once. Undefined when there is no answer, or none in time. */
  askOnce<T>(question: (link: RedisLink) => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#once(question, () => resolve(undefined)).then(resolve, (error) => {
        this.#away(messageOf(error));
        resolve(undefined);
      });
    });
  }

  /** Does what nobody waits for. It has until shortly after `close`. Resolves when it has ended, however. */
  soon(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const ended: Promise<void> = work(this.#closing.signal)
      // Only the signal makes it fail, and then nobody is left to be told.
      .then(
        () => {},
        () => {},
      )
      .finally(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return ended;
  }

  /** Resolves when everything that `soon` was given has ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Lets what is under way come to its end, for a moment. The link is left open. Twice is fine. */
  async close(): Promise<void> {
    const limit = new AbortController();
    const waited = this.clock.sleep(CLOSE_MS, limit.signal).catch(() => {});
    await Promise.race([this.idle(), waited]);
    limit.abort();
    this.#closing.abort(new Error('politeness is closed'));
    await this.idle();
  }

  async #once<T>(question: (link: RedisLink) => Promise<T>, onLate = () => {}): Promise<T> {
    const answered = new AbortController();
    const late = () => {
      this.#away(`no answer for ${ANSWER_MS} ms`);
      onLate();
    };
    this.clock.sleep(ANSWER_MS, answered.signal).then(late, () => {});
    try {
      const answer = await question(this.link);
      this.#back();
      return answer;
    } finally {
      // With a reason: the one that is made otherwise, with its stack, costs more than the question.
      answered.abort('answered');
    }
  }

  #away(reason: string): void {
    if (this.#awaySince !== undefined) return;
    this.#awaySince = this.clock.monotonic();
    this.#onStatus({ kind: 'unreachable', reason });
  }

  #back(): void {
    if (this.#awaySince === undefined) return;
    const afterMs = this.clock.monotonic() - this.#awaySince;
    this.#awaySince = undefined;
    this.#onStatus({ kind: 'reachable', afterMs });
  }
}
