// The progress of a mirror run: files, speed, and how long it will take.

import type { ScrapeProgress } from '../../mirror/scrape-progress.ts';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { colour, cut, drawBar } from '../show-progress.ts';

export function scrapeBar(progress: ScrapeProgress, columns: number): string[] {
  const { planned, downloaded, failed } = progress;
  const settled = downloaded + failed;
  const bad = failed > 0 ? `  ${colour('red', `${formatCount(failed)} failed`)}` : '';
  const bar = drawBar(planned === 0 ? 1 : settled / planned);
  const line = `${bar}  ${formatCount(settled)}/${formatCount(planned)} files  ${speed(progress)}${bad}${left(progress)}`;
  return [cut(line, columns - 1)];
}

export function scrapeLine(progress: ScrapeProgress): string {
  const { planned, downloaded, failed } = progress;
  const bad = failed > 0 ? `, ${failed} failed` : '';
  return `curlew: ${downloaded} of ${planned} files${bad}, ${speed(progress)}${left(progress)}`;
}

function speed({ bytes, elapsedMs }: ScrapeProgress): string {
  return `${formatBytes(elapsedMs > 0 ? (bytes / elapsedMs) * 1000 : 0)}/s`;
}

function left({ planned, downloaded, failed, elapsedMs }: ScrapeProgress): string {
  const settled = downloaded + failed;
  if (settled === 0 || settled >= planned) return '';
  return `  ${formatDuration((elapsedMs / settled) * (planned - settled))} left`;
}
