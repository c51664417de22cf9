// What the rounds of one contender come to: medians, so that one noisy round changes nothing. Pure.

import type { Contender, Measured } from './contender.ts';

export interface Figures {
  readonly contender: Contender;
  readonly pages: number;
  readonly rounds: number;
  readonly pagesPerSecond: number;
  readonly cpuMicrosPerPage: number;
  readonly peakMegabytes: number;
  readonly crawlSeconds: number;
  readonly processSeconds: number;
}

/** One line per contender and number of pages, in the order they were first measured. */
export function summarise(measured: readonly Measured[]): Figures[] {
  const groups = Map.groupBy(measured, ({ contender, pages }) => `${contender} ${pages}`);
  return [...groups.values()].map(figuresOf);
}

function figuresOf(rounds: readonly Measured[]): Figures {
  const [{ contender, pages }] = rounds as [Measured];
  const crawlSeconds = median(rounds.map((round) => round.crawlSeconds));
  return {
    contender,
    pages,
    rounds: rounds.length,
    pagesPerSecond: pages / crawlSeconds,
    cpuMicrosPerPage: (median(rounds.map((round) => round.cpuSeconds)) / pages) * 1e6,
    peakMegabytes: median(rounds.map((round) => round.peakBytes)) / 1e6,
    crawlSeconds,
    processSeconds: median(rounds.map((round) => round.processSeconds)),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
