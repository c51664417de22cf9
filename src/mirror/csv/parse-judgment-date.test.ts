import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCriminal } from './is-criminal.ts';
import { parseJudgmentDate } from './parse-judgment-date.ts';

const LONG = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

describe('parseJudgmentDate', () => {
  it('reads every day of every year in each of its shapes', () => {
    const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10);
        const [year = '', month = '', dd = ''] = iso.split('-');
        const name = LONG[Number(month) - 1] ?? '';
        const shapes = [
          iso,
          `${year}/${month}/${dd}`,
          `${year}${month}${dd}`,
          `${iso}T10:11:12Z`,
          `${iso}T23:59:59.999+05:00`,
          `${iso}T00:30-0500`,
          `${iso} 10:11:12`,
          `${iso} 10:11`,
          `${year}${month}${dd}T101112Z`,
          `${dd}/${month}/${year}`,
          `${year}-${name.slice(0, 3)}-${dd}`,
          `${dd}-${name.slice(0, 3).toUpperCase()}-${year}`,
          `${Number(dd)} ${name} ${year}`,
        ];
        expect(shapes.map((shape) => parseJudgmentDate(shape))).toEqual(shapes.map(() => iso));
      }),
    );
  });

  it('takes the day for the first of two numbers', () => {
    expect(parseJudgmentDate('06/11/2025')).toBe('2025-11-06');
  });

  it.each([
    '',
    '31/02/2025',
    '2025-02-30',
    '11/23/2025',
    'November 2025',
    '6th November 2025',
    'soon',
    '2025-Nov-06 10:00',
    '2025/13/01',
    '20251301',
    '06112025',
    '2025111',
    '202511061',
    '2025-11-06T25:00:00Z',
    '2025-11-06T10:00:00 tomorrow',
    '2025-11-06T',
  ])('does not read %j', (text) => {
    expect(parseJudgmentDate(text)).toBeUndefined();
  });
});

describe('isCriminal', () => {
  it('goes by the category, wherever the word stands in it', () => {
    expect(['Criminal', 'Grand Court CRIMINAL Division', 'Civil', null].map(isCriminal)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
