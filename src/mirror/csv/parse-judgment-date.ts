// Dates as courts write them. The day comes before the month; what is no day of the calendar is not read.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
const MONTH = `(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;

/** ISO 8601, with any zone: the day is the one that is written. */
const TIME =
  '(?:[T\\s]\\s*(?:[01]\\d|2[0-4]):?[0-5]\\d(?::?[0-5]\\d(?:[.,]\\d+)?)?\\s*(?:Z|[+-]\\d{2}(?::?\\d{2})?)?)?';

const SHAPES: readonly RegExp[] = [
  new RegExp(`^(?<year>\\d{4})-(?<month>\\d{1,2})-(?<day>\\d{1,2})${TIME}$`, 'i'),
  new RegExp(`^(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})${TIME}$`, 'i'),
  new RegExp(`^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})${TIME}$`, 'i'),
  /^(?<day>\d{1,2})\/(?<month>\d{1,2})\/(?<year>\d{4})$/,
  new RegExp(`^(?<year>\\d{4})-${MONTH}-(?<day>\\d{1,2})$`, 'i'),
  new RegExp(`^(?<day>\\d{1,2})-${MONTH}-(?<year>\\d{4})$`, 'i'),
  new RegExp(`^(?<day>\\d{1,2})\\s+${MONTH}\\s+(?<year>\\d{4})$`, 'i'),
];

/** `YYYY-MM-DD`; undefined when the text is no date that can be read. */
export function parseJudgmentDate(text: string): string | undefined {
  for (const shape of SHAPES) {
    const parts = shape.exec(text.trim())?.groups;
    if (parts !== undefined) return isoDate(Number(parts.year), monthNumber(parts.month ?? ''), Number(parts.day));
  }
  return undefined;
}

function monthNumber(text: string): number {
  const named = MONTHS.findIndex((month) => text.toLowerCase().startsWith(month));
  return named === -1 ? Number(text) : named + 1;
}

function isoDate(year: number, month: number, day: number): string | undefined {
  const iso = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  // JavaScript takes 31 February for 3 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined;
}
