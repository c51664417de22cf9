// Verdicts over time, as stacked columns on a canvas; the same as a table for whoever does not see it. New data moves the
// columns and nothing else.

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { formatCount, formatDuration, formatTime } from '../lib/format.ts';
import { useTheme } from '../lib/theme.ts';
import { stackTimeline } from '../lib/timeline.ts';
import { useMedia } from '../lib/use-media.ts';
import { VERDICT_ORDER } from '../lib/verdicts.ts';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';
import { When } from './when.tsx';

type Timeline = AnswerOf<'runTimeline'>;
type Bucket = Timeline['buckets'][number];

const HEIGHT = 200;
/** Of `23:59:59`. */
const LABEL_WIDTH = 64;
/** A column is at most so wide, so that a run that has just begun does not fill the chart with one. */
const WIDEST_COLUMN = 120;

export function TimelineChart({ timeline }: { readonly timeline: Timeline }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [at, setAt] = useState<number | undefined>(undefined);
  const theme = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const stacked = stackTimeline(timeline);
  const kinds = stacked.layers.map(({ verdict }) => verdict).join(' ');

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const chart = new uPlot(optionsOf(element, stacked, timeline.bucketMs, setAt), dataOf(stacked), element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
    // A chart is made anew when it has other layers, colours or columns; new numbers are only set.
  }, [kinds, theme, isDark, timeline.bucketMs]);

  useEffect(() => plot.current?.setData(dataOf(stacked)), [timeline]);

  const bucket = at === undefined ? undefined : timeline.buckets[at];
  return (
    <div class="chart">
      <div ref={box} class="chart-canvas" aria-hidden="true" />
      <p class="chart-reading" aria-hidden="true">
        {bucket === undefined ? `A column is ${formatDuration(timeline.bucketMs)}.` : readingOf(bucket)}
      </p>
      <ul class="legend">
        {[...stacked.layers].reverse().map(({ verdict }) => (
          <li key={verdict}>
            <span class={`swatch v-${verdict}`} aria-hidden="true" />
            {verdict}
          </li>
        ))}
      </ul>
      <details>
        <summary>The same as a table</summary>
        <TimelineTable timeline={timeline} />
      </details>
    </div>
  );
}

function TimelineTable({ timeline: { bucketMs, buckets } }: { readonly timeline: Timeline }) {
  const verdicts = VERDICT_ORDER.filter((name) => name !== 'pending' && buckets.some((bucket) => bucket[name] !== 0));
  const columns: readonly Column<Bucket>[] = [
    { label: 'From', cell: ({ at }) => <When at={at} /> },
    ...[...verdicts, 'records' as const].map((name) => ({
      label: name,
      align: 'end' as const,
      cell: (bucket: Bucket) => formatCount(bucket[name]),
    })),
  ];
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Verdicts over time">
      <DataTable
        label={`Verdicts in each ${formatDuration(bucketMs)}`}
        layout="plain"
        columns={columns}
        rows={buckets}
        rowKey={({ at }) => at}
      />
    </div>
  );
}

function readingOf(bucket: Bucket): string {
  const parts = VERDICT_ORDER.filter((name) => name !== 'pending' && bucket[name] !== 0).map(
    (name) => `${formatCount(bucket[name])} ${name}`,
  );
  return `${formatTime(bucket.at)}: ${parts.join(', ') || 'nothing'}; ${formatCount(bucket.records)} records`;
}

/** As short as the distance of the ticks allows. */
function timeOf(seconds: number, stepSeconds: number): string {
  const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
  if (stepSeconds < 60) time.second = '2-digit';
  return new Intl.DateTimeFormat('en-GB', stepSeconds >= 86_400 ? day : time).format(seconds * 1_000);
}

type Stacked = ReturnType<typeof stackTimeline>;

function dataOf({ times, layers }: Stacked): uPlot.AlignedData {
  return [[...times], ...layers.map(({ tops }) => [...tops])];
}

/** Seconds between two ticks: times that a person would choose. */
const TICKS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800,
];

function optionsOf(
  element: HTMLElement,
  { layers }: Stacked,
  bucketMs: number,
  setAt: (at: number | undefined) => void,
): uPlot.Options {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = { stroke: colour('--faint'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.94, WIDEST_COLUMN], align: 1 });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    // Half a label beside the last tick.
    padding: [null, LABEL_WIDTH / 2, null, null],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_, min, max) => [min, max + bucketMs / 1_000] },
      y: { range: (_, _min, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        space: 90,
        incrs: TICKS,
        values: (_, ticks, _axis, _space, step) => ticks.map((tick) => timeOf(tick, step)),
      },
      {
        ...axis,
        size: 56,
        values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? formatCount(tick) : '')),
      },
    ],
    series: [
      {},
      ...layers.map(({ verdict }) => ({
        label: verdict,
        fill: colour(`--v-${verdict}`),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? undefined)] },
  };
}
