// Progress while a run goes on, on standard error: bars that are drawn anew on a terminal, a plain line now and then
// elsewhere.

import { stripVTControlCharacters, styleText } from 'node:util';
import type { HostRate, RunProgress } from '../engine/progress.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import { announceWaits } from './announce-waits.ts';
import { formatCount, formatDuration, formatOutlook, formatWait, printable, shorten } from './format.ts';

const REDRAW_MS = 200;
const LINE_MS = 10_000;
const MOST_HOSTS = 8;
const BAR_WIDTH = 24;
const NARROWEST_BAR = 6;
const NARROWEST_NAME = 12;

export interface ShownProgress {
  /** Writes a line that stays. */
  say(text: string): void;
  /** May be called twice. */
  hide(): void;
}

/** Starts showing. `isDrawn` false: only what is waited for is said, for the outcomes themselves are progress enough. */
export function showProgress(progress: () => RunProgress | undefined, isDrawn = true): ShownProgress {
  const waits = () => progress()?.waits() ?? [];
  return showLive(() => (isDrawn ? progress() : undefined), { bars: barLines, plain: plainLine, waits, isDrawn });
}

export interface LiveView<T> {
  /** Draws it within so many columns. */
  readonly bars: (state: T, columns: number) => string[];
  /** Puts it into one line. */
  readonly plain: (state: T) => string;
  /** What is waited for; said in lines of their own where no bars are drawn. */
  readonly waits?: () => readonly HostWait[];
  /** Whether bars are drawn on a terminal. Default true. */
  readonly isDrawn?: boolean;
}

/** Starts showing anything. */
export function showLive<T>(
  look: () => T | undefined,
  { bars, plain, waits = () => [], isDrawn = true }: LiveView<T>,
): ShownProgress {
  const terminal = process.stderr.isTTY === true;
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) process.stderr.write(`\x1b[${drawn}F\x1b[J`);
    drawn = 0;
  };
  const draw = () => {
    const now = look();
    if (now === undefined) return;
    if (!terminal) {
      process.stderr.write(`${plain(now)}\n`);
      return;
    }
    // Some terminals say 0.
    const lines = bars(now, process.stderr.columns || 80);
    erase();
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  const timer = setInterval(draw, terminal ? REDRAW_MS : LINE_MS);
  timer.unref();
  const say = (text: string) => {
    erase();
    process.stderr.write(`curlew: ${text}\n`);
  };
  const stopAnnouncing = terminal && isDrawn ? () => {} : announceWaits(waits, say);
  return {
    say,
    hide() {
      clearInterval(timer);
      stopAnnouncing();
      erase();
    },
  };
}

export const colour = (name: 'green' | 'dim' | 'yellow' | 'red', text: string) =>
  styleText(name, text, { stream: process.stderr });

/** For where nothing can be drawn anew. Exported for its test. */
export function plainLine(progress: RunProgress): string {
  const { done, failed, blocked, unknown, pending } = progress.total();
  const bad = failed + blocked + unknown;
  const waits = progress
    .waits()
    .slice(0, MOST_HOSTS)
    .map((wait) => `; ${formatWait(wait)}`);
  return `curlew: ${done} done, ${bad} failed, ${pending} pending, ${progress.records} records${waits.join('')}`;
}

/** One line per host, the busiest first, and one for the whole. Exported for its test. */
export function barLines(progress: RunProgress, columns: number): string[] {
  const hosts = progress.rates().sort((a, b) => b.counts.pending - a.counts.pending);
  const lines = hosts.slice(0, MOST_HOSTS).map((host) => hostLine(host, columns - 1));
  // Proxies, and hosts that only redirects lead to.
  const shown = new Set(hosts.map(({ host }) => host));
  for (const wait of progress.waits()) if (!shown.has(wait.host)) lines.push(colour('yellow', formatWait(wait)));
  if (hosts.length > MOST_HOSTS) lines.push(`… and ${hosts.length - MOST_HOSTS} more hosts`);
  const invalid = progress.invalid > 0 ? colour('yellow', `, ${formatCount(progress.invalid)} invalid`) : '';
  lines.push(`${formatCount(progress.records)} records${invalid}`);
  return lines.map((line) => cut(line, columns - 1));
}

/** The bar takes what room the figures leave. A name that is too long for both is cut, not the figures. */
function hostLine({ host, counts, perSecond, grows, wait }: HostRate, width: number): string {
  const bad = counts.failed + counts.blocked + counts.unknown;
  const settled = counts.done + counts.absent + counts.skipped + bad;
  const all = settled + counts.pending;
  const failed = bad > 0 ? `  ${colour('red', `${formatCount(bad)} failed`)}` : '';
  const left = perSecond > 0 && counts.pending > 0 ? formatDuration((counts.pending / perSecond) * 1000) : undefined;
  const eta = left === undefined ? '' : `  ${grows ? 'at least ' : ''}${left} left`;
  const outlook = wait === undefined ? eta : `  ${colour('yellow', `waiting${formatOutlook(wait)}`)}`;
  const figures = `  ${formatCount(settled)}/${formatCount(all)}  ${perSecond.toFixed(1)}/s${failed}${outlook}`;
  const room = width - stripVTControlCharacters(figures).length - 2;
  const name = shorten(printable(host), Math.max(room - NARROWEST_BAR, NARROWEST_NAME));
  const barWidth = Math.min(Math.max(room - [...name].length, NARROWEST_BAR), BAR_WIDTH);
  return `${name}  ${drawBar(all === 0 ? 0 : settled / all, barWidth)}${figures}`;
}

/** `share` of it is filled. */
export function drawBar(share: number, width = BAR_WIDTH): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width);
  return colour('green', '█'.repeat(filled)) + colour('dim', '░'.repeat(width - filled));
}

/** Cuts a line to a width without counting colours, so that it never wraps. */
export function cut(line: string, width: number): string {
  let seen = 0;
  let out = '';
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b')) out += part;
    else {
      const fitting = [...part].slice(0, Math.max(0, width - seen));
      seen += fitting.length;
      out += fitting.join('');
    }
  }
  return out;
}
