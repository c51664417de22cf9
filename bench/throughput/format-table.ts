// The figures and the bars as a person reads them. Pure.

import type { Bar } from './bars.ts';
import type { Figures } from './figures.ts';

const HEADINGS = ['', 'pages', 'rounds', 'pages/s', 'CPU µs/page', 'peak MB', 'crawl s', 'process s'];

export function formatTable(figures: readonly Figures[], bars: readonly Bar[]): string {
  const rows = figures.map((one) => [
    one.contender,
    String(one.pages),
    String(one.rounds),
    one.pagesPerSecond.toFixed(0),
    one.cpuMicrosPerPage.toFixed(0),
    one.peakMegabytes.toFixed(0),
    one.crawlSeconds.toFixed(2),
    one.processSeconds.toFixed(2),
  ]);
  const lines = [HEADINGS, ...rows].map((cells) =>
    cells
      .map((cell, index) => pad(cell, index))
      .join('  ')
      .trimEnd(),
  );
  const verdicts = bars.map(
    ({ name, measured, wanted, met }) =>
      `${met ? 'met   ' : 'MISSED'}  ${measured.toFixed(2)} ${name} (bar: ${wanted})`,
  );
  return [...lines, '', ...verdicts, ''].join('\n');
}

function pad(cell: string, column: number): string {
  return column === 0 ? cell.padEnd(8) : cell.padStart(HEADINGS[column]?.length ?? 0);
}
