// Numbers, times and tables as people read them.

import { styleText } from 'node:util';
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

/** What is waited for, as a sentence without its end. */
export function formatWait({ host, ...wait }: HostWait): string {
  return `waiting for ${printable(host)}${formatOutlook(wait)}`;
}

/** The same where the host is named already. */
export function formatOutlook({ until, reason }: Omit<HostWait, 'host'>): string {
  return `${until === undefined ? '' : ` until ${formatTime(until)}`}, ${printable(reason)}`;
}

/** Columns as wide as their widest cell; numbers to the right. */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  const body = rows[1];
  const pad = (cell: string, column: number) => {
    const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return typeof body?.[column] === 'number' ? space + cell : cell + space;
  };
  return cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

function widthOf(text: string): number {
  return [...text.replace(/\x1b\[[0-9;]*m/g, '')].length;
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
  return state === 'failed' || state === 'killed' ? styleText('red', state) : state;
}

/** Remote text for a terminal: control characters are shown, not obeyed. */
export function printable(text: string): string {
  return escapeControls(text);
}

/** The same for text of several lines: those after the first are indented, so that none passes for one of ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}
