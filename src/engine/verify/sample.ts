// Draws so many of a known number of things as they come by, each with the same chance (Knuth, algorithm S). Nothing is kept.

import type { Random } from '../../platform/random.ts';

export class Sample {
  #wanted: number;
  #left: number;
  readonly #random: Random;

  constructor(wanted: number, of: number, random: Random) {
    this.#wanted = Math.min(wanted, of);
    this.#left = of;
    this.#random = random;
  }

  /** Whether the next one is drawn. Of things that came to be meanwhile, none is. */
  takes(): boolean {
    if (this.#left === 0) return false;
    const isTaken = this.#random.next() * this.#left < this.#wanted;
    this.#left--;
    if (isTaken) this.#wanted--;
    return isTaken;
  }
}
