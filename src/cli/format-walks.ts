// The id space of each walk, one line each, however many ids there are.

import { drawGapMap, GAP_MAP_LEGEND } from '../ledger/gap-map.ts';
import { type ProbeStretch, partitionName, type StoredWalk } from '../ledger/probe.ts';
import { formatCount } from './format.ts';

export interface DrawnWalk {
  readonly walk: StoredWalk;
  readonly stretches: readonly ProbeStretch[];
}

export function formatWalks(walks: readonly DrawnWalk[], columns: number): string {
  if (walks.length === 0) return '';
  const names = walks.map(({ walk }) => [walk.speculator, partitionName(walk.partition)].filter(Boolean).join(' '));
  const ends = walks.map(({ stretches }) => `${stretches[0]?.from ?? '–'}…${stretches.at(-1)?.to ?? '–'}`);
  const [nameWidth, endWidth] = [names, ends].map((texts) => Math.max(...texts.map((text) => text.length)));
  const width = Math.max(10, columns - (nameWidth ?? 0) - (endWidth ?? 0) - 8);
  const lines = walks.map(({ stretches }, index) => {
    const map = drawGapMap(stretches, width);
    return `  ${names[index]?.padEnd(nameWidth ?? 0)}  ${ends[index]?.padEnd(endWidth ?? 0)}  ${map}`;
  });
  const hits = walks.flatMap(({ stretches }) => stretches).filter(({ verdict }) => verdict === 'hit');
  const count = hits.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return `\nids: ${formatCount(count)} hits\n${lines.join('\n')}\n  ${GAP_MAP_LEGEND}\n`;
}
