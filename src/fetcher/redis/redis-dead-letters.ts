// Dead letters on Redis: a plain list, one entry one line. Going through it moves every line it keeps from the front to the end;
// stopped half way, it is whole and only turned. New ones that arrive meanwhile come after those that were there.

import { z } from 'zod';
import { type DeadLetter, fits, readDeadLetter, subjectOf } from '../dead-letter.ts';
import type { DeadLetterFilter, DeadLetters } from '../dead-letters.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNames } from './redis-names.ts';
import { sortDeadLettersScript } from './scripts/sort-dead-letters.ts';

const AT_ONCE = 500;

export class RedisDeadLetters implements DeadLetters {
  readonly #redis: RedisConnection;
  readonly #names: RedisNames;

  constructor(redis: RedisConnection, names: RedisNames) {
    this.#redis = redis;
    this.#names = names;
  }

  size(): Promise<number> {
    return this.#redis.run((client) => client.lLen(this.#names.deadLetters));
  }

  async *list(filter: DeadLetterFilter = {}): AsyncGenerator<DeadLetter> {
    for (let first = 0; ; first += AT_ONCE) {
      const lines = await this.#lines(first, AT_ONCE);
      yield* lines.map(readDeadLetter).filter((letter) => fits(letter, filter));
      if (lines.length < AT_ONCE) return;
    }
  }

  requeue(filter: DeadLetterFilter): Promise<number> {
    return this.#sort(filter, 'requeue');
  }

  drop(filter: DeadLetterFilter): Promise<number> {
    return this.#sort(filter, 'drop');
  }

  async #sort(filter: DeadLetterFilter, action: 'requeue' | 'drop'): Promise<number> {
    const { deadLetters, queue } = this.#names;
    let moved = 0;
    for (let left = await this.size(); left > 0; ) {
      const lines = await this.#lines(0, Math.min(left, AT_ONCE));
      if (lines.length === 0) break;
      const plan = lines.map((line) => {
        const letter = readDeadLetter(line);
        return { line, url: subjectOf(letter.url), chosen: fits(letter, filter) };
      });
      const args = plan.flatMap(({ line, url, chosen }) => [line, chosen ? action : 'keep', url]);
      const done = z.number().parse(await this.#redis.script(sortDeadLettersScript, [deadLetters, queue], args));
      moved += plan.slice(0, done).filter(({ chosen }) => chosen).length;
      // Somebody else took the first line: it is not ours to go through.
      left -= Math.max(done, 1);
    }
    return moved;
  }

  #lines(first: number, count: number): Promise<string[]> {
    return this.#redis.run((client) => client.lRange(this.#names.deadLetters, first, first + count - 1));
  }
}
