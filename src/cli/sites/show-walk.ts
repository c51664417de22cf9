// The progress of a walk over lists: lists, pages, items, speed, how long it will take, and what is waited for.

import type { WalkProgress } from '../../engine/walk-progress.ts';
import type { WalkHandle } from '../../engine/walk-site.ts';
import { formatCount, formatDuration, formatWait } from '../format.ts';
import { colour, cut, drawBar, type ShownProgress, showLive } from '../show-progress.ts';

/** Starts showing. */
export function showWalk(handle: Pick<WalkHandle, 'progress' | 'waits'>): ShownProgress {
  return showLive(() => ({ progress: handle.progress(), waits: handle.waits() }), {
    bars: ({ progress, waits }, columns) => {
      const bar = progress?.itemsTotal === undefined ? '' : `${drawBar(progress.items / progress.itemsTotal)}  `;
      const lines = progress === undefined ? [] : [`${bar}${walkLine(progress)}`];
      for (const wait of waits) lines.push(colour('yellow', formatWait(wait)));
      return lines.map((line) => cut(line, columns - 1));
    },
    plain: ({ progress, waits }) => {
      const parts = [...(progress === undefined ? [] : [walkLine(progress)]), ...waits.map(formatWait)];
      return `curlew: ${parts.join('; ') || 'beginning'}`;
    },
    waits: () => handle.waits(),
  });
}

/** Exported for its test. */
export function walkLine({ lists, listsDone, pages, items, itemsTotal, pagesPerSecond, leftMs }: WalkProgress): string {
  const total = itemsTotal === undefined ? '' : ` of ${formatCount(itemsTotal)}`;
  const left = leftMs === undefined || leftMs === 0 ? '' : `, ${formatDuration(leftMs)} left`;
  const speed = `${pagesPerSecond.toFixed(1)} pages/s`;
  return `${listsDone} of ${lists} lists, ${formatCount(pages)} pages, ${formatCount(items)}${total} items, ${speed}${left}`;
}
