// How fast runs go at present, and how long they will take at that pace: from what was settled between looks.

import type { Clock } from '../../platform/clock.ts';
import type { TimeLeft } from '../contract/runs.ts';
import { judgeTimeLeft, type WorkDone } from './time-left.ts';

interface Sample extends WorkDone {
  /** By host. */
  readonly hosts: ReadonlyMap<string, number>;
}

/** The rate is of the last seconds; what is left is judged by a longer look, so that it does not jump. */
const WINDOW_MS = 10_000;
const LONG_WINDOW_MS = 60_000;

export class RunRates {
  readonly #clock: Clock;
  readonly #samples = new Map<number, Sample[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of how many items each host of a run has settled by now, and of what is left to do. */
  sample(run: number, hosts: ReadonlyMap<string, number>, work: Omit<WorkDone, 'at' | 'settled'>): void {
    const at = this.#clock.monotonic();
    const settled = [...hosts.values()].reduce((sum, n) => sum + n, 0);
    const kept = (this.#samples.get(run) ?? []).filter((sample) => at - sample.at <= LONG_WINDOW_MS);
    this.#samples.set(run, [...kept, { ...work, at, settled, hosts }]);
  }

  /** Items per second, of one host or of the whole run; undefined until there are two looks. */
  perSecond(run: number, host?: string): number | undefined {
    const all = this.#samples.get(run) ?? [];
    const last = all.at(-1);
    const first = all.find(({ at }) => last !== undefined && last.at - at <= WINDOW_MS);
    if (first === undefined || last === undefined || last.at === first.at) return undefined;
    const settledIn = (sample: Sample) => (host === undefined ? sample.settled : (sample.hosts.get(host) ?? 0));
    const settled = settledIn(last) - settledIn(first);
    return Math.max(0, Math.round((settled / (last.at - first.at)) * 10_000) / 10);
  }

  timeLeft(run: number): TimeLeft {
    return judgeTimeLeft(this.#samples.get(run) ?? []);
  }

  /** Forgets all runs but these. */
  keepOnly(runs: ReadonlySet<number>): void {
    for (const run of this.#samples.keys()) if (!runs.has(run)) this.#samples.delete(run);
  }
}
