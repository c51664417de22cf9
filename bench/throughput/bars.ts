// What Curlew has to reach, compared with what was measured. Pure.

import type { Figures } from './figures.ts';

export interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly wanted: number;
  readonly met: boolean;
}

const SHARE_OF_BARE = 0.5;
const TIMES_CRAWLEE = 10;
const MOST_MEGABYTES = 200;
/** Four times the pages may need this much more memory: what the garbage collector leaves to chance. */
const MOST_GROWTH = 1.2;
const SHARE_OF_IDEAL = 0.9;

export interface Setting {
  readonly pages: number;
  readonly concurrency: number;
  readonly latencyMs: number;
}

/** The bars that these figures can be held against: some need a peer, some another number of pages. */
export function compareWithBars(figures: readonly Figures[], { pages, concurrency, latencyMs }: Setting): Bar[] {
  const curlew = figures.find((one) => one.contender === 'curlew' && one.pages === pages);
  if (curlew === undefined) return [];
  const memory = atMost('peak memory, MB', curlew.peakMegabytes, MOST_MEGABYTES);
  if (latencyMs > 0) {
    const ideal = (concurrency * 1000) / latencyMs;
    return [atLeast(`pages/s of the ideal ${ideal}`, curlew.pagesPerSecond / ideal, SHARE_OF_IDEAL), memory];
  }
  const bars: Bar[] = [];
  const bare = figures.find((one) => one.contender === 'bare');
  if (bare) bars.push(atLeast('pages/s of the bare loop', curlew.pagesPerSecond / bare.pagesPerSecond, SHARE_OF_BARE));
  const peer = figures.find((one) => one.contender === 'crawlee');
  if (peer)
    bars.push(atLeast('times the pages/s of Crawlee', curlew.pagesPerSecond / peer.pagesPerSecond, TIMES_CRAWLEE));
  bars.push(memory);
  const short = figures.find((one) => one.contender === 'curlew' && one.pages < pages);
  if (short) {
    const growth = curlew.peakMegabytes / short.peakMegabytes;
    bars.push(atMost(`times the memory of ${short.pages} pages`, growth, MOST_GROWTH));
  }
  return bars;
}

function atLeast(name: string, measured: number, wanted: number): Bar {
  return { name, measured, wanted, met: measured >= wanted };
}

function atMost(name: string, measured: number, wanted: number): Bar {
  return { name, measured, wanted, met: measured <= wanted };
}
