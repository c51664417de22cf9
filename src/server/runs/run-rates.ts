// How fast runs go at present: from what was settled between two looks of the last seconds.

import type { Clock } from '../../platform/clock.ts';

interface Sample {
  readonly at: number;
  /** By host; the whole run under the empty name. */
  readonly settled: ReadonlyMap<string, number>;
}

const WINDOW_MS = 10_000;

export class RunRates {
  readonly #clock: Clock;
  readonly #samples = new Map<number, Sample[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of how many items each host of a run has settled by now. */
  sample(run: number, hosts: ReadonlyMap<string, number>): void {
    const at = this.#clock.monotonic();
    const total = [...hosts.values()].reduce((sum, n) => sum + n, 0);
    const kept = (this.#samples.get(run) ?? []).filter((sample) => at - sample.at <= WINDOW_MS);
    this.#samples.set(run, [...kept, { at, settled: new Map([...hosts, ['', total]]) }]);
  }

  /** Items per second, of one host or of the whole run; undefined until there are two looks. */
  perSecond(run: number, host = ''): number | undefined {
    const samples = this.#samples.get(run) ?? [];
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return undefined;
    const settled = (last.settled.get(host) ?? 0) - (first.settled.get(host) ?? 0);
    return Math.max(0, Math.round((settled / (last.at - first.at)) * 10_000) / 10);
  }

  /** Forgets all runs but these. */
  keepOnly(runs: ReadonlySet<number>): void {
    for (const run of this.#samples.keys()) if (!runs.has(run)) this.#samples.delete(run);
  }
}
