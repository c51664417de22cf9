// Many dashboards ask for the same thing at the same time: it is looked up once for all of them, and again after half a
// second. Whoever changes something through this server sees the change at once.

import type { Clock } from '../../platform/clock.ts';

const SHARED_MS = 500;

export class SharedAnswers {
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `key` says what is asked for, and so of which type it is. */
  get<T>(key: string, look: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#answers.get(key);
    if (known !== undefined && now - known.at < SHARED_MS) return known.answer as Promise<T>;
    for (const [old, { at }] of this.#answers) if (now - at >= SHARED_MS) this.#answers.delete(old);
    const answer = look();
    answer.catch(() => this.#answers.delete(key));
    this.#answers.set(key, { at: now, answer });
    return answer;
  }

  /** Something was changed. */
  forget(): void {
    this.#answers.clear();
  }
}
