// Values as people read them: numbers with separators and units, times with their zone. Nothing here reads the clock.

const NUMBER = new Intl.NumberFormat('en-GB');
const TENTHS = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** `12,345`; a dash for what is not known. */
export function formatCount(count: number | null): string {
  return count === null ? '–' : NUMBER.format(count);
}

/** `1 record`, `12,345 records`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

/** Never 100 % while something is missing, never 0 % when there is something. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = part / whole;
  if (share > 0 && share < 0.001) return '< 0.1%';
  if (share < 1 && share > 0.999) return '> 99.9%';
  return PERCENT.format(share);
}

/** `12.3/s`, and `3.2/min` for what is slow. */
export function formatRate(perSecond: number): string {
  if (perSecond === 0) return '0/s';
  if (perSecond < 0.1) return `${TENTHS.format(perSecond * 60)}/min`;
  return perSecond >= 100 ? `${NUMBER.format(Math.round(perSecond))}/s` : `${TENTHS.format(perSecond)}/s`;
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Of 1,024: `812 bytes`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < BYTE_UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${(unit === 0 ? NUMBER : TENTHS).format(value)} ${bytes === 1 ? 'byte' : BYTE_UNITS[unit]}`;
}

/** The two largest units: `240 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.max(0, Math.round(durationMs))} ms`;
  const seconds = Math.floor(durationMs / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value], at) => at === 0 || value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

/** How long ago, to the largest unit of two or more: `90 s`, `5 min`, `36 h`, `3 days`. */
export function formatAge(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** Where to show times: the browser's zone unless said otherwise. */
export type Zone = string | undefined;

/** `16 Nov 2026, 14:02:07 GMT+1`; what is no time comes back as it is. */
export function formatTime(iso: string, timeZone?: Zone): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
}

/** `14:02:07 GMT+1` on the day of `now`; of other days with the date, to the minute. */
export function formatClock(iso: string, now: number, timeZone?: Zone): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat('en-CA', zone);
  const isToday = day.format(at) === day.format(now);
  return new Intl.DateTimeFormat('en-GB', {
    ...(isToday ? { second: '2-digit' } : { day: 'numeric', month: 'short', year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...zone,
  }).format(at);
}

/** Times within a sentence of the server, as people read them. */
export function localTimes(text: string, now: number, timeZone?: Zone): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (iso) => formatClock(iso, now, timeZone));
}

/** `2025-11-06` as `6 Nov 2025`; anything else as it is. */
export function formatDate(date: string): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (match === null) return date;
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) return date;
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    at,
  );
}

/** JSON as a short line: text as it is, the rest as JSON. */
export function formatJson(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
