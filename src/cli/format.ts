// Numbers, times and tables as people read them.

import { stripVTControlCharacters, styleText } from 'node:util';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Health } from '../ledger/health.ts';
import { escapeControls } from '../platform/acting-characters.ts';
import { systemClock } from '../platform/clock.ts';
import type { RunState } from './state-now.ts';

export function formatCount(n: number): string {
  return n.toLocaleString('en-US');
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** Each part in as many digits as the others of its kind: a table of them stands straight. */
const INSTANT = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
} as const;

/** Local time with its zone. */
export function formatInstant(at: number): string {
  return new Date(at).toLocaleString('sv-SE', INSTANT);
}

/** Local time of the day, with its date when that is not near. */
function formatTime(at: number): string {
  const [date, time] = formatInstant(at).split(' ');
  return Math.abs(at - systemClock.now()) < HALF_A_DAY_MS || date === undefined ? `${time}` : `${date} ${time}`;
}

const HALF_A_DAY_MS = 43_200_000;

/** A line for each that a listed run waits for. */
export function formatRunWaits(run: number, waits: readonly HostWait[]): string[] {
  return waits.map((wait) => `run ${run} is ${formatWait(wait)}\n`);
}

/** What is waited for, as a sentence without its end. */
export function formatWait({ host, ...wait }: HostWait): string {
  return `waiting for ${printable(host)}${formatOutlook(wait)}`;
}

/** The same where the host is named already. */
export function formatOutlook({ until, reason }: Omit<HostWait, 'host'>): string {
  return `${until === undefined ? '' : ` until ${formatTime(until)}`}, ${printable(reason)}`;
}

type Cells = readonly (string | number)[];

/**
 * Columns as wide as their widest cell; numbers to the right. The first row is the head. On a terminal that is too narrow,
 * texts are shortened, and where that is not enough each row becomes a group of lines, one for each cell.
 */
export function formatTable(
  rows: readonly Cells[],
  columns = process.stdout.columns || Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  const isNumber = (column: number) => typeof rows[1]?.[column] === 'number';
  const total = () => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > columns) {
    const texts = widths.map((width, column) => (isNumber(column) ? 0 : width));
    const widest = texts.indexOf(Math.max(...texts));
    if ((texts[widest] ?? 0) <= NARROWEST_TEXT) return formatGroups(cells);
    widths[widest] = Math.max(NARROWEST_TEXT, (widths[widest] ?? 0) - (total() - columns));
  }
  const pad = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    const fitting = shorten(cell, width);
    const space = ' '.repeat(width - widthOf(fitting));
    return isNumber(column) ? space + fitting : fitting + space;
  };
  return cells.map((row) => `${row.map(pad).join(GAP).trimEnd()}\n`).join('');
}

const GAP = '  ';
const NARROWEST_TEXT = 8;

/** The cells of a row below each other, with their names. */
function formatGroups([head = [], ...rows]: readonly (readonly string[])[]): string {
  const width = Math.max(...head.map(widthOf));
  const group = (row: readonly string[]) =>
    row.map((cell, column) => `${(head[column] ?? '').padEnd(width)}${GAP}${cell}`.trimEnd()).join('\n');
  return `${rows.map(group).join('\n\n')}\n`;
}

/** Cuts a text that is wider than `width`, and marks that. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return `${[...stripVTControlCharacters(text)].slice(0, Math.max(width - 1, 0)).join('')}…`;
}

function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

export function formatHealth(health: Health | undefined): string {
  switch (health) {
    case 'ok':
      return styleText('green', 'ok');
    case 'suspicious':
    case 'partial':
      return styleText('yellow', health);
    case 'failed':
      return styleText('red', 'failed');
    case undefined:
      return '–';
  }
}

export function formatState(state: RunState): string {
  return state === 'failed' || state === 'killed' ? styleText('red', state) : state.replace('_', ' ');
}

/** Remote text for a terminal: control characters are shown, not obeyed. */
export function printable(text: string): string {
  return escapeControls(text);
}

/** The same for text of several lines: those after the first are indented, so that none passes for one of ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}
